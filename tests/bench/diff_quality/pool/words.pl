my %h; my $x=1; for my $i (1..250000){ $x=($x*1103515245+12345)&0x7fffffff; $h{"k".($x%9000)}++; }
my @s=sort { $h{$b}<=>$h{$a} || $a cmp $b } keys %h; my $t=join ",",map {"$_=$h{$_}"} @s; my $n=0;
for(1..90){ while($t=~/(k\d*7)=(\d+)/g){$n+=$2} (my $u=$t)=~s/k(\d)/x$1y/g; $n+=length $u; } print "$n\n";
