#!/bin/sh
# The service gets a role of its own that owns its database and is no superuser.
set -eu
psql -v ON_ERROR_STOP=1 -v password="$LANYARD_PASSWORD" -U postgres <<'SQL'
create role lanyard login password :'password';
create database lanyard owner lanyard;
SQL
