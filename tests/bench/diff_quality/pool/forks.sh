i=0; while [ $i -lt 700 ]; do /usr/bin/expr $i + 1 >/dev/null; i=$((i+1)); done
