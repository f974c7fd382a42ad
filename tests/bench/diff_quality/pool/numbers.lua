local function fib(n) if n<2 then return n end return fib(n-1)+fib(n-2) end
local function sieve(n) local p={} for i=2,n do p[i]=true end for i=2,n do if p[i] then for j=i*i,n,i do p[j]=false end end end local c=0 for i=2,n do if p[i] then c=c+1 end end return c end
local function str(n) local t={} for i=1,n do t[#t+1]=string.format("%d:%s",i,("x"):rep(i%7)) end local s=table.concat(t,",") local k=0 for w in s:gmatch("%d+:x+") do k=k+#w end return k end
print(fib(30),sieve(1500000),str(300000))
local t={} for i=1,300000 do t[i]=(i*7919)%100003 end table.sort(t) print(t[5])
