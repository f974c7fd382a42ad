-- On each server of a cluster, behind schema.sql: tables over all of them
-- (perfpair fleet --cluster).  The servers' <remote_servers> have two clusters:
--	<perfpair>		a shard for each server
--	<perfpair_stacks>	one shard, with each server as a replica and
--				<internal_replication>false</internal_replication>
-- All rows of a host are on one server, so that a slice that is loaded twice
-- meets itself there.  Each server has all stacks: they are few, each is looked
-- up where it is, and names are there if a server is not.
CREATE TABLE IF NOT EXISTS perfpair.samples_all AS perfpair.samples
ENGINE = Distributed(perfpair, perfpair, samples, sipHash64(host));

CREATE TABLE IF NOT EXISTS perfpair.stacks_all AS perfpair.stacks
ENGINE = Distributed(perfpair_stacks, perfpair, stacks);
