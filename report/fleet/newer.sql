-- What ClickHouse can do from 19.14 on, behind schema.sql: codecs and a time to
-- live.  18.16 has neither: there compression is the server's (<compression>),
-- and a day is dropped by hand:
--	ALTER TABLE perfpair.samples DROP PARTITION 20261127
ALTER TABLE perfpair.samples
	MODIFY COLUMN slice UInt64 CODEC(ZSTD),
	MODIFY COLUMN start DateTime CODEC(DoubleDelta, ZSTD),
	MODIFY COLUMN load UInt64 CODEC(ZSTD),
	MODIFY COLUMN seq UInt32 CODEC(Delta, ZSTD),
	MODIFY COLUMN rows UInt32 CODEC(ZSTD),
	MODIFY COLUMN run LowCardinality(String),
	MODIFY COLUMN host LowCardinality(String),
	MODIFY COLUMN labels LowCardinality(String),
	MODIFY COLUMN cgroup LowCardinality(String),
	MODIFY COLUMN comm LowCardinality(String),
	MODIFY COLUMN event LowCardinality(String),
	MODIFY COLUMN time DateTime CODEC(DoubleDelta, ZSTD),
	MODIFY COLUMN stack UInt64 CODEC(ZSTD),
	MODIFY COLUMN code UInt64 CODEC(ZSTD),
	MODIFY COLUMN function UInt64 CODEC(ZSTD),
	MODIFY COLUMN weight UInt64 CODEC(T64, ZSTD),
	MODIFY COLUMN number UInt64 CODEC(T64, ZSTD);
ALTER TABLE perfpair.samples MODIFY TTL start + INTERVAL 30 DAY;
