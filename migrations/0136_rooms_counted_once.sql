-- H3 and H4 are checked once per room night and stay at the end of a transaction. A stay of four nights counted each night four times: its own check and
-- that of the counter both counted, each with one scan for booked and one for held rooms; and the stay was checked five times.

-- Whether this is the first check of this kind and place at the end of the transaction. Nothing changes rows while deferred triggers run, so later checks
-- would find the same. A setting of the transaction keeps the names of the checks, up to 8,000 characters. Further checks are repeated, because searching
-- a longer text would take longer than counting. No code may run these constraints immediately and change the same rows afterwards.
create function lanyard_is_first_check(what text) returns boolean language plpgsql as $$
declare
  seen text := coalesce(current_setting('lanyard.checked', true), '');
begin
  if position(what in seen) > 0 then return false; end if;
  if length(seen) < 8000 then perform set_config('lanyard.checked', seen || what, true); end if;
  return true;
end $$;

create or replace function room_night_must_add_up(tenant integer, event text, hotel text, room_type text, of_night date) returns void language plpgsql as $$
begin
  if not lanyard_is_first_check('|room ' || event || ' ' || hotel || ' ' || room_type || ' ' || of_night || '|') then return; end if;
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
  if not lanyard_is_first_check('|block ' || block || ' ' || hotel || ' ' || room_type || ' ' || of_night || '|') then return; end if;
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

create or replace function reservation_must_be_whole(tenant integer, event text, reservation text) returns void language plpgsql as $$
begin
  if not lanyard_is_first_check('|stay ' || reservation || '|') then return; end if;
  if exists (
    select from reservations s left join lateral (
      select count(*)::int as nights, min(n.night) as first, max(n.night) as last,
        bool_and((n.hotel_id, n.room_type_code, n.participant_id, n.status) = (s.hotel_id, s.room_type_code, s.participant_id, s.status)) as same
      from reservation_nights n where n.tenant_id = tenant and n.event_id = event and n.reservation_id = reservation) n on true
    where s.tenant_id = tenant and s.event_id = event and s.id = reservation and (
      s.status in ('confirmed', 'cancelled', 'noShow') and s.ack_number is null or case
        when s.status in ('held', 'confirmed', 'noShow')
          then (n.nights, n.first, n.last, n.same) is distinct from (s.check_out - s.check_in, s.check_in, s.check_out - 1, true)
        else n.nights > 0 end)) then
    raise exception 'a stay has all of its nights' using errcode = 'check_violation', constraint = 'reservations_whole';
  end if;
end $$;
