create table t(a integer primary key, b text, c integer);
with recursive n(i) as (select 1 union all select i+1 from n where i<420000)
insert into t select i, 'name'||((i*7919)%100003), (i*31)%977 from n;
create index tb on t(b); create index tc on t(c);
select c, count(*), sum(length(b)) from t group by c order by 2 desc limit 3;
select count(*) from t x join t y on x.c=y.a where x.b like 'name1%';
select max(b), min(b) from (select b from t order by b desc limit 50000);
select count(distinct substr(b,1,7)) from t;
