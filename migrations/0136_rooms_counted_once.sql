-- H3 and H4 are checked once per room night and stay at the end of a transaction. A stay of four nights counted each night four times: its own check and
-- that of the counter both counted, each with one scan for booked and one for held rooms; and the stay was checked five times. Now a night leaves its
-- check to the counter or stay that the same transaction has written, whose own check then covers every column. No code may run these constraints
-- immediately and change the same rows afterwards.

-- Whether the current transaction, or a savepoint of it, has written the row with this xmin. A savepoint has a higher number than its transaction, and
-- what is visible here but in no snapshot is our own. The distance excludes rows from before the numbers last started again.
create function lanyard_wrote(writer xid) returns boolean language sql volatile parallel restricted as $$
  select writer::text::bigint - (pg_current_xact_id()::text::bigint & 4294967295) between 0 and 1000000 and not pg_visible_in_snapshot(
    (pg_current_xact_id()::text::bigint - (pg_current_xact_id()::text::bigint & 4294967295) + writer::text::bigint)::text::xid8, pg_current_snapshot()) $$;

create or replace function room_night_must_add_up(tenant integer, event text, hotel text, room_type text, of_night date) returns void language plpgsql as $$
begin
  if exists (
    select from room_nights r cross join lateral (
      select (count(*) filter (where n.status <> 'held'))::int as booked, (count(*) filter (where n.status = 'held'))::int as held
      from reservation_nights n where n.tenant_id = tenant and n.event_id = event and n.hotel_id = hotel and n.room_type_code = room_type
        and n.night = of_night and n.block_id is null and not n.is_test_data) n
    where r.tenant_id = tenant and r.event_id = event and r.hotel_id = hotel and r.room_type_code = room_type and r.night = of_night
      and (r.booked, r.held, r.allocated) is distinct from (n.booked, n.held,
        (select coalesce(sum(b.rooms), 0)::int from block_nights b where b.tenant_id = tenant and b.event_id = event and b.hotel_id = hotel
          and b.room_type_code = room_type and b.night = of_night))) then
    raise exception 'rooms of % on % do not add up', room_type, of_night using errcode = 'check_violation', constraint = 'room_nights_counted';
  end if;
end $$;

create or replace function block_night_must_add_up(tenant integer, event text, block text, hotel text, room_type text, of_night date)
returns void language plpgsql as $$
begin
  if exists (
    select from block_nights b cross join lateral (
      select (count(*) filter (where n.status <> 'held'))::int as booked, (count(*) filter (where n.status = 'held'))::int as held
      from reservation_nights n where n.tenant_id = tenant and n.event_id = event and n.hotel_id = hotel and n.room_type_code = room_type
        and n.night = of_night and n.block_id = block and not n.is_test_data) n
    where b.tenant_id = tenant and b.event_id = event and b.block_id = block and b.hotel_id = hotel and b.room_type_code = room_type
      and b.night = of_night and (b.booked, b.held) is distinct from (n.booked, n.held)) then
    raise exception 'rooms of a block on % do not add up', of_night using errcode = 'check_violation', constraint = 'block_nights_counted';
  end if;
end $$;

create or replace function block_nights_check() returns trigger language plpgsql as $$
declare
  b block_nights := case when tg_op = 'DELETE' then old else new end;
begin
  if tg_op <> 'UPDATE' or new.rooms <> old.rooms then
    perform room_night_must_add_up(b.tenant_id, b.event_id, b.hotel_id, b.room_type_code, b.night);
  end if;
  perform block_night_must_add_up(b.tenant_id, b.event_id, b.block_id, b.hotel_id, b.room_type_code, b.night);
  return null;
end $$;

create or replace function reservation_night_must_add_up(n reservation_nights) returns void language plpgsql as $$
begin
  if not exists (select from reservations s where s.tenant_id = n.tenant_id and s.event_id = n.event_id and s.id = n.reservation_id and lanyard_wrote(s.xmin)) then
    perform reservation_must_be_whole(n.tenant_id, n.event_id, n.reservation_id);
  end if;
  if n.is_test_data then return; end if;
  if n.block_id is null then
    if not exists (select from room_nights r where r.tenant_id = n.tenant_id and r.event_id = n.event_id and r.hotel_id = n.hotel_id
      and r.room_type_code = n.room_type_code and r.night = n.night and lanyard_wrote(r.xmin)) then
      perform room_night_must_add_up(n.tenant_id, n.event_id, n.hotel_id, n.room_type_code, n.night);
    end if;
  elsif not exists (select from block_nights b where b.tenant_id = n.tenant_id and b.event_id = n.event_id and b.block_id = n.block_id
    and b.hotel_id = n.hotel_id and b.room_type_code = n.room_type_code and b.night = n.night and lanyard_wrote(b.xmin)) then
    perform block_night_must_add_up(n.tenant_id, n.event_id, n.block_id, n.hotel_id, n.room_type_code, n.night);
  end if;
end $$;

drop trigger room_nights_counted on room_nights;
create constraint trigger room_nights_counted after insert or update on room_nights deferrable initially deferred
for each row execute function room_nights_check();
drop trigger block_nights_counted on block_nights;
create constraint trigger block_nights_counted after insert or delete or update on block_nights deferrable initially deferred
for each row execute function block_nights_check();
drop trigger reservations_whole on reservations;
create constraint trigger reservations_whole after insert or update on reservations deferrable initially deferred
for each row execute function reservations_check();
