function fib(n){return n<2?n:fib(n-1)+fib(n-2)}
function words(n){let x=1;const m=new Map();for(let i=0;i<n;i++){x=(Math.imul(x,1103515245)+12345)&0x7fffffff;const k='k'+x%9000;m.set(k,(m.get(k)||0)+1)}return m}
let s=0;s+=fib(34);for(let i=0;i<9;i++){const m=words(200000);const t=JSON.stringify([...m.entries()].sort());s+=JSON.parse(t).length+t.replace(/k(\d)7/g,'x$1').length}
const a=new Float64Array(300000);for(let i=0;i<a.length;i++)a[i]=(i*7919)%100003;a.sort();console.log(s,a[5]);
