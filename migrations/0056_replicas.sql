-- Reads on a replica, and a horizon that depends only on what the product itself writes and locks.

-- The time of a change. The first call of a transaction takes a lock whose key is the transaction's start, in milliseconds modulo 2^32,
-- so that lanyard_horizon() finds all transactions whose changes are not committed yet.
create function lanyard_stamp() returns timestamptz language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock_shared(7233104, floor(extract(epoch from now()) * 1000)::bigint::bit(32)::integer);
  return lanyard_now();
end $$;

-- All changes with a time before the horizon are committed. Read in a statement before the rows.
create or replace function lanyard_horizon() returns timestamptz language plpgsql volatile as $$
declare
  -- Read before the locks: a transaction that takes its lock later has later changes.
  seen timestamptz := lanyard_now();
  -- The age of the oldest transaction in milliseconds. A clock that was set back gives a huge number, which counts as zero.
  age bigint := (
    select max(case when a.ms > 2147483647 then 0 else a.ms end) from (
      select (floor(extract(epoch from clock_timestamp()) * 1000)::bigint - l.objid::bigint) & 4294967295 as ms from pg_locks l
      where l.locktype = 'advisory' and l.classid = 7233104 and l.objsubid = 2 and l.pid <> pg_backend_pid()
        and l.database = (select d.oid from pg_database d where d.datname = current_database())) a);
begin
  return date_trunc('milliseconds', seen - coalesce(age, 0) * interval '1 millisecond');
end $$;

-- The latest horizon. A server process writes it about twice a second if there is a replica. A replica that shows a horizon also shows all
-- changes before it, because they were committed earlier. `at` is the time of the primary's clock, for measuring the lag.
create table replica_horizon (
  id boolean primary key default true check (id),
  horizon timestamptz not null,
  at timestamptz not null
);

-- The end of a list of changes: on a replica never after the horizon that the replica has received.
create function lanyard_visible_until(asked timestamptz) returns timestamptz language sql stable as $$
  select case when asked = 'infinity' or not pg_is_in_recovery() then asked
    else least(asked, coalesce((select h.horizon from replica_horizon h), '-infinity')) end $$;

-- As in migration 0047, an update that changes nothing keeps revision and updated_at.
create or replace function lanyard_touch() returns trigger language plpgsql as $$
begin
  if pg_trigger_depth() = 1 and new.revision = old.revision
    and (case when tg_nargs = 0 then new *= old else to_jsonb(new) - tg_argv = to_jsonb(old) - tg_argv end) then
    return new;
  end if;
  new.revision := old.revision + 1;
  new.updated_at := greatest(lanyard_stamp(), old.updated_at + interval '1 millisecond');
  return new;
end $$;

create or replace function lanyard_gone() returns trigger language plpgsql as $$
declare
  at timestamptz := greatest(lanyard_stamp(), old.updated_at + interval '1 millisecond');
  event text := to_jsonb(old) ->> 'event_id';
begin
  if current_setting('lanyard.removed_tenant', true) = old.tenant_id::text then return null; end if;
  insert into deletions (tenant_id, event_id, client_id, entity, id, is_test_data, deleted_at, updated_at)
  values (old.tenant_id, event, case when event is null then to_jsonb(old) ->> 'client_id' end, tg_argv[0], old.id,
    coalesce((to_jsonb(old) ->> 'is_test_data')::boolean, false), at, at)
  on conflict (tenant_id, place_id, entity, id) do nothing;
  return null;
end $$;

alter table audit_entries alter column at set default lanyard_stamp();
alter table events alter column updated_at set default lanyard_stamp();
alter table attendance_scans alter column updated_at set default lanyard_stamp();

-- Identifies a transaction among those that change one row, without transaction ids: its start in microseconds and its process.
create function lanyard_writer() returns uuid language sql stable as $$
  select (lpad(to_hex((extract(epoch from now()) * 1000000)::bigint), 16, '0') || lpad(to_hex(pg_backend_pid()), 16, '0'))::uuid $$;

create function lanyard_touch_entity() returns trigger language plpgsql as $$
begin
  if pg_trigger_depth() = 1 and new.revision = old.revision
    and (case when tg_nargs = 0 then new *= old else to_jsonb(new) - tg_argv = to_jsonb(old) - tg_argv end) then
    return new;
  end if;
  new.revision := old.revision + 1;
  new.updated_at := greatest(lanyard_stamp(), old.updated_at + interval '1 millisecond');
  new.stamped_by := lanyard_writer();
  return new;
end $$;

create function stamped_here(writer uuid) returns boolean language sql stable as $$ select writer is not distinct from lanyard_writer() $$;

-- Records that change with rows of other tables store the transaction of their last change, so that it stamps each of them once.
do $$
declare
  touched text;
  reader record;
begin
  foreach touched in array '{participants,orders,managed_groups,leads,reservations,companies,sessions,contacts}'::text[] loop
    execute format('alter table %I add column stamped_by uuid', touched);
    execute format('alter table %I alter column stamped_by set default lanyard_writer(), alter column updated_at set default lanyard_stamp()', touched);
    execute format('drop trigger %I on %I', touched || '_touch', touched);
    execute format('create trigger %I before update on %I for each row execute function lanyard_touch_entity(%s)', touched || '_touch', touched,
      (select string_agg(quote_literal(a.attname), ', ' order by a.attname) from pg_attribute a
        where a.attrelid = touched::regclass and a.attgenerated <> '' and not a.attisdropped));
  end loop;
  for reader in select p.oid, pg_get_functiondef(p.oid) as source from pg_proc p
    where p.pronamespace = current_schema()::regnamespace and p.prosrc ~ 'stamped_here\(\w+\.xmin\)' loop
    execute regexp_replace(reader.source, 'stamped_here\((\w+)\.xmin\)', 'stamped_here(\1.stamped_by)', 'g');
  end loop;
end $$;
drop function stamped_here(xid);
