import json,re,hashlib
def words(n):
    x=12345
    out=[]
    for i in range(n):
        x=(x*1103515245+12345)&0x7fffffff
        out.append("w%x"%(x%5000))
    return out
def count(ws):
    d={}
    for w in ws: d[w]=d.get(w,0)+1
    return d
def text(d): return json.dumps(sorted(d.items(),key=lambda kv:(-kv[1],kv[0])))
def back(t): return sum(v for k,v in json.loads(t))
def pattern(t): return len(re.findall(r'"w(\w*)[13]", (\d+)',t))
tot=0
for i in range(22):
    ws=words(60000); d=count(ws); t=text(d)
    for _ in range(4): tot+=back(t)+pattern(t)
    tot+=len(hashlib.sha256(t.encode()*40).hexdigest())
print(tot)
