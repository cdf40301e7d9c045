-- Organizations are recognized across events without their legal form: "ACME GmbH & Co. KG" and "Acme" are one. The same rule as toBareName
-- of the company import.
create function lanyard_bare_name(name text) returns text language sql immutable parallel safe as $$
  select regexp_replace(folded, '^(.+?)(?: (?:ab|ag|as|asa|aps|bv|bvba|co|company|corp|corporation|cv|doo|ev|gbr|gmbh|inc|incorporated|kft|kg|kgaa|limited|llc|llp|ltd|ltda|nv|ohg|oy|oyj|plc|pte|pty|sa|sarl|sas|se|sl|spa|spzoo|sprl|srl|sro|ug|und|vof))+$', '\1')
  from btrim(regexp_replace(lanyard_searched(regexp_replace(lower(name), '(\m[[:alpha:]])\.(?=[[:alpha:]]\M)', '\1', 'g')), '[^[:alnum:]]+', ' ', 'g')) as folded $$;

alter table organizations add column name_bare text collate "C" generated always as (lanyard_bare_name(name)) stored;
create index organizations_named_barely on organizations (tenant_id, client_id, name_bare);
-- Names of companies that were merged into one of this organization.
create index organizations_with_aliases on organizations (tenant_id, client_id) where aliases <> '{}';

drop trigger organizations_touch on organizations;
create trigger organizations_touch before update on organizations for each row execute function lanyard_touch('name_bare', 'name_norm');
