openssl kdf -keylen 32 -kdfopt digest:SHA256 -kdfopt pass:x -kdfopt salt:yyyyyyyy -kdfopt iter:1500000 PBKDF2
openssl dgst -sha3-256 lines; openssl dgst -md5 text; openssl enc -aes-256-cbc -K 00 -iv 00 -in lines -out /dev/null
openssl kdf -keylen 32 -kdfopt pass:x -kdfopt salt:yyyyyyyy -kdfopt n:16384 -kdfopt r:8 -kdfopt p:9 SCRYPT
