-- Hotels of an event, what was contracted with them night by night, and who sleeps where. Rooms have counters of their own: a stay is all of
-- its nights or none, and what is set aside for a block is not for sale to others.

create table event_hotels (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null,
  code text collate "C" not null check (code ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  name text not null,
  retired boolean not null default false,
  catalog_ref text,
  supplier_id text collate "C",
  address jsonb not null default '{}',
  latitude double precision check (latitude between -90 and 90),
  longitude double precision check (longitude between -180 and 180),
  stars double precision check (stars between 0 and 5),
  brand text,
  loyalty_program text,
  amenities text[] not null default '{}',
  description text,
  photos text[] not null default '{}',
  contacts jsonb not null default '[]',
  check_in_time text check (check_in_time ~ '^([01]\d|2[0-3]):[0-5]\d$'),
  check_out_time text check (check_out_time ~ '^([01]\d|2[0-3]):[0-5]\d$'),
  tax_percent numeric(7, 4) not null default 0 check (tax_percent between 0 and 100),
  fee_per_night bigint not null default 0 check (fee_per_night >= 0),
  fee_taxed boolean not null default false,
  sell_status text not null default 'closed' check (sell_status in ('open', 'changes', 'changesSameType', 'closed')),
  after_cutoff text not null default 'waitlist' check (after_cutoff in ('closed', 'waitlist')),
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  searched text not null generated always as (lanyard_searched(name, code, brand)) stored,
  primary key (tenant_id, event_id, id),
  unique (tenant_id, event_id, code),
  foreign key (tenant_id, event_id) references events
);
create index event_hotels_searched on event_hotels using gin (searched gin_trgm_ops);
create trigger event_hotels_touch before update on event_hotels for each row execute function lanyard_touch();

create table room_types (
  tenant_id integer not null,
  event_id text collate "C" not null,
  hotel_id text collate "C" not null,
  code text collate "C" not null check (code ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  name text not null,
  beds text[] not null default '{}',
  max_occupancy integer not null check (max_occupancy between 1 and 8),
  accessible boolean not null default false,
  smoking boolean not null default false,
  retired boolean not null default false,
  primary key (tenant_id, event_id, hotel_id, code),
  foreign key (tenant_id, event_id, hotel_id) references event_hotels
);

create table housing_contracts (
  tenant_id integer not null,
  event_id text collate "C" not null,
  hotel_id text collate "C" not null,
  status text not null default 'tentative' check (status in ('tentative', 'definite', 'cancelled')),
  sourcing_contract_id text collate "C",
  signed_on date,
  -- The last day on which rooms are sold.
  cutoff_on date,
  cutoff_action text not null default 'return' check (cutoff_action in ('return', 'keep')),
  rooming_list_due_on date,
  name_deadline_on date,
  review_dates jsonb not null default '[]',
  attrition jsonb not null default '{"method": "none"}',
  comp_per integer check (comp_per > 0),
  comp_basis text not null default 'cumulative' check (comp_basis in ('cumulative', 'nightly')),
  rebate_per_room_night bigint check (rebate_per_room_night >= 0),
  commission_percent numeric(7, 4) check (commission_percent between 0 and 100),
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, hotel_id),
  foreign key (tenant_id, event_id, hotel_id) references event_hotels
);
create trigger housing_contracts_touch before update on housing_contracts for each row execute function lanyard_touch();

-- H1. What is counted: booked and held are of free sale alone, what blocks have is allocated to them and counted there.
create table room_nights (
  tenant_id integer not null,
  event_id text collate "C" not null,
  hotel_id text collate "C" not null,
  room_type_code text collate "C" not null,
  night date not null,
  original integer not null check (original >= 0),
  base integer not null check (base >= 0),
  contracted integer not null check (contracted >= 0),
  returned integer not null default 0 check (returned >= 0),
  allocated integer not null default 0 check (allocated >= 0),
  booked integer not null default 0 check (booked >= 0),
  held integer not null default 0 check (held >= 0),
  rate_single bigint not null check (rate_single >= 0),
  rate_double bigint check (rate_double >= 0),
  rate_triple bigint check (rate_triple >= 0),
  rate_quad bigint check (rate_quad >= 0),
  primary key (tenant_id, event_id, hotel_id, room_type_code, night),
  foreign key (tenant_id, event_id, hotel_id) references housing_contracts,
  foreign key (tenant_id, event_id, hotel_id, room_type_code) references room_types,
  constraint room_nights_not_oversold check (returned + allocated + booked + held <= contracted)
) with (fillfactor = 50);

create table room_blocks (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null,
  code text collate "C" not null check (code ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  name text not null,
  -- H7. The id of a group or company, or the code of a tag.
  owner_kind text not null default 'none' check (owner_kind in ('group', 'company', 'tag', 'none')),
  owner_ref text collate "C",
  request_id text collate "C",
  status text not null default 'active' check (status in ('active', 'closed')),
  sell_status text not null default 'open' check (sell_status in ('open', 'changes', 'changesSameType', 'closed')),
  overflow boolean not null default true,
  min_nights integer check (min_nights > 0),
  release_on date,
  name_deadline_on date,
  payment_by text not null default 'guest' check (payment_by in ('guest', 'master')),
  note text,
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  unique (tenant_id, event_id, code),
  foreign key (tenant_id, event_id) references events,
  constraint room_blocks_owner check ((owner_kind = 'none') = (owner_ref is null))
);
create unique index room_blocks_of_group on room_blocks (tenant_id, event_id, owner_ref) where owner_kind = 'group';
create index room_blocks_of_owner on room_blocks (tenant_id, event_id, owner_kind, owner_ref) where status = 'active';
create trigger room_blocks_touch before update on room_blocks for each row execute function lanyard_touch();

alter table managed_groups add foreign key (tenant_id, event_id, room_block_id) references room_blocks;
create unique index managed_groups_of_block on managed_groups (tenant_id, event_id, room_block_id) where room_block_id is not null;

-- H2.
create table block_nights (
  tenant_id integer not null,
  event_id text collate "C" not null,
  block_id text collate "C" not null,
  hotel_id text collate "C" not null,
  room_type_code text collate "C" not null,
  night date not null,
  rooms integer not null check (rooms >= 0),
  booked integer not null default 0 check (booked >= 0),
  held integer not null default 0 check (held >= 0),
  -- For every number of occupants, instead of the hotel's.
  rate bigint check (rate >= 0),
  primary key (tenant_id, event_id, block_id, hotel_id, room_type_code, night),
  foreign key (tenant_id, event_id, block_id) references room_blocks,
  foreign key (tenant_id, event_id, hotel_id, room_type_code, night) references room_nights,
  constraint block_nights_not_oversold check (booked + held <= rooms)
) with (fillfactor = 50);
create index block_nights_of_room on block_nights (tenant_id, event_id, hotel_id, room_type_code, night);

create table hotel_waitlist_entries (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null,
  participant_id text collate "C" not null,
  is_test_data boolean not null,
  -- Null is any hotel.
  hotel_id text collate "C",
  room_type_code text collate "C",
  alternatives jsonb not null default '[]',
  check_in date not null,
  check_out date not null,
  occupants integer not null default 1 check (occupants between 1 and 8),
  replaces_reservation_id text collate "C",
  priority integer not null default 0,
  position bigint not null,
  status text not null default 'waiting' check (status in ('waiting', 'offered', 'filled', 'removed')),
  offered_until timestamptz,
  consent_charge_at timestamptz,
  saved_card_id text collate "C",
  charge_id text collate "C",
  reason text,
  joined_at timestamptz not null default lanyard_now(),
  ended_at timestamptz,
  primary key (tenant_id, event_id, id),
  unique (tenant_id, event_id, id, is_test_data),
  foreign key (tenant_id, event_id, participant_id, is_test_data) references participants (tenant_id, event_id, id, is_test_data),
  foreign key (tenant_id, event_id, hotel_id) references event_hotels,
  foreign key (tenant_id, event_id, hotel_id, room_type_code) references room_types,
  foreign key (tenant_id, event_id, saved_card_id) references saved_cards,
  foreign key (tenant_id, event_id, charge_id) references charges,
  constraint hotel_waitlist_entries_nights check (check_out > check_in),
  constraint hotel_waitlist_entries_offer check ((status = 'offered') = (offered_until is not null))
);
-- H6.
create unique index hotel_waitlist_entries_once on hotel_waitlist_entries (tenant_id, event_id, participant_id, check_in, coalesce(hotel_id, ''))
  where status in ('waiting', 'offered');
create index hotel_waitlist_entries_line on hotel_waitlist_entries (tenant_id, event_id, hotel_id, position) where status in ('waiting', 'offered');

create table reservations (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null,
  -- Of a stay that was confirmed; one that is only held has none yet.
  ack_number text collate "C",
  participant_id text collate "C" not null,
  is_test_data boolean not null,
  guests jsonb not null default '[]',
  hotel_id text collate "C" not null,
  room_type_code text collate "C" not null,
  check_in date not null,
  check_out date not null,
  occupants integer not null check (occupants between 1 and 8),
  bed_type text,
  smoking boolean,
  requests text,
  loyalty_number text,
  -- Whom the holder would take in: an email address or a confirmation number.
  share_with text,
  status text not null check (status in ('held', 'confirmed', 'cancelled', 'expired', 'noShow')),
  held_until timestamptz,
  -- Money is on its way: the room is kept until that is known.
  charging boolean not null default false,
  -- Of an offer to somebody who waits.
  entry_id text collate "C",
  guarantee_kind text not null default 'none' check (guarantee_kind in ('none', 'card', 'deposit', 'master')),
  guarantee_status text not null default 'notNeeded' check (guarantee_status in ('notNeeded', 'pending', 'secured', 'failed')),
  guarantee_due_at timestamptz,
  saved_card_id text collate "C",
  charge_id text collate "C",
  hotel_confirmation_number text,
  stay_rooms bigint not null,
  stay_fees bigint not null,
  stay_tax bigint not null,
  stay_total bigint not null,
  source text not null check (source in ('web', 'assistant', 'organizer', 'import', 'group', 'rehearsal')),
  cancel_reason text,
  confirmed_at timestamptz,
  cancelled_at timestamptz,
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  unique (tenant_id, event_id, id, is_test_data),
  foreign key (tenant_id, event_id, participant_id, is_test_data) references participants (tenant_id, event_id, id, is_test_data),
  foreign key (tenant_id, event_id, hotel_id, room_type_code) references room_types,
  foreign key (tenant_id, event_id, entry_id, is_test_data) references hotel_waitlist_entries (tenant_id, event_id, id, is_test_data),
  foreign key (tenant_id, event_id, saved_card_id) references saved_cards,
  foreign key (tenant_id, event_id, charge_id) references charges,
  constraint reservations_nights check (check_out > check_in),
  constraint reservations_hold check ((status = 'held') = (held_until is not null)),
  constraint reservations_pending check ((guarantee_status = 'pending') <= (guarantee_due_at is not null)),
  constraint reservations_sum check (stay_total = stay_rooms + stay_fees + stay_tax)
) with (fillfactor = 80);
create unique index reservations_number on reservations (tenant_id, event_id, ack_number) where ack_number is not null;
create index reservations_of_participant on reservations (tenant_id, event_id, participant_id);
create index reservations_of_hotel on reservations (tenant_id, event_id, hotel_id, status);
create index reservations_expiring on reservations (held_until) where status = 'held' and not charging;
create index reservations_unguaranteed on reservations (guarantee_due_at) where guarantee_status = 'pending' and status = 'confirmed';
create trigger reservations_touch before update on reservations for each row execute function lanyard_touch();
-- Each of the two may go first when test data is removed.
alter table hotel_waitlist_entries add foreign key (tenant_id, event_id, replaces_reservation_id, is_test_data)
  references reservations (tenant_id, event_id, id, is_test_data) deferrable initially deferred;
alter table order_lines add foreign key (tenant_id, event_id, reservation_id, is_test_data)
  references reservations (tenant_id, event_id, id, is_test_data);
create index order_lines_of_reservation on order_lines (tenant_id, event_id, reservation_id) where reservation_id is not null;

create table reservation_nights (
  tenant_id integer not null,
  event_id text collate "C" not null,
  reservation_id text collate "C" not null,
  night date not null,
  participant_id text collate "C" not null,
  is_test_data boolean not null,
  hotel_id text collate "C" not null,
  room_type_code text collate "C" not null,
  -- Null: out of free sale.
  block_id text collate "C",
  rate bigint not null check (rate >= 0),
  status text not null check (status in ('held', 'confirmed', 'noShow')),
  -- H5. Which of the rooms that one person may have on a night this is.
  room integer not null check (room between 1 and 20),
  primary key (tenant_id, event_id, reservation_id, night),
  unique (tenant_id, event_id, participant_id, night, room),
  foreign key (tenant_id, event_id, reservation_id, is_test_data) references reservations (tenant_id, event_id, id, is_test_data),
  foreign key (tenant_id, event_id, hotel_id, room_type_code, night) references room_nights,
  foreign key (tenant_id, event_id, block_id) references room_blocks
);
create index reservation_nights_counted on reservation_nights (tenant_id, event_id, hotel_id, room_type_code, night)
  include (block_id, status, is_test_data);

-- Somebody who asked to sleep in another's room. They take none themselves; the holder says yes, or has named them too.
create table room_shares (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null,
  participant_id text collate "C" not null,
  is_test_data boolean not null,
  -- The holder's email address or confirmation number, as it was given.
  named text not null,
  -- Null until the holder has a room.
  reservation_id text collate "C",
  status text not null default 'pending' check (status in ('pending', 'accepted', 'declined', 'withdrawn')),
  created_at timestamptz not null default lanyard_now(),
  decided_at timestamptz,
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id, participant_id, is_test_data) references participants (tenant_id, event_id, id, is_test_data),
  foreign key (tenant_id, event_id, reservation_id, is_test_data) references reservations (tenant_id, event_id, id, is_test_data),
  constraint room_shares_room check ((status = 'accepted') <= (reservation_id is not null))
);
create unique index room_shares_once on room_shares (tenant_id, event_id, participant_id) where status in ('pending', 'accepted');
create index room_shares_of_reservation on room_shares (tenant_id, event_id, reservation_id) where reservation_id is not null;

-- H3. A counter is the number of nights that it counts, at the end of every transaction.
create function room_night_must_add_up(tenant integer, event text, hotel text, room_type text, of_night date) returns void language plpgsql as $$
begin
  if exists (
    select from room_nights r where r.tenant_id = tenant and r.event_id = event and r.hotel_id = hotel and r.room_type_code = room_type
      and r.night = of_night and (r.booked, r.held, r.allocated) is distinct from (
        (select count(*)::int from reservation_nights n where n.tenant_id = tenant and n.event_id = event and n.hotel_id = hotel
          and n.room_type_code = room_type and n.night = of_night and n.block_id is null and not n.is_test_data and n.status <> 'held'),
        (select count(*)::int from reservation_nights n where n.tenant_id = tenant and n.event_id = event and n.hotel_id = hotel
          and n.room_type_code = room_type and n.night = of_night and n.block_id is null and not n.is_test_data and n.status = 'held'),
        (select coalesce(sum(b.rooms), 0)::int from block_nights b where b.tenant_id = tenant and b.event_id = event and b.hotel_id = hotel
          and b.room_type_code = room_type and b.night = of_night))) then
    raise exception 'rooms of % on % do not add up', room_type, of_night using errcode = 'check_violation', constraint = 'room_nights_counted';
  end if;
end $$;

create function block_night_must_add_up(tenant integer, event text, block text, hotel text, room_type text, of_night date)
returns void language plpgsql as $$
begin
  if exists (
    select from block_nights b where b.tenant_id = tenant and b.event_id = event and b.block_id = block and b.hotel_id = hotel
      and b.room_type_code = room_type and b.night = of_night and (b.booked, b.held) is distinct from (
        (select count(*)::int from reservation_nights n where n.tenant_id = tenant and n.event_id = event and n.hotel_id = hotel
          and n.room_type_code = room_type and n.night = of_night and n.block_id = block and not n.is_test_data and n.status <> 'held'),
        (select count(*)::int from reservation_nights n where n.tenant_id = tenant and n.event_id = event and n.hotel_id = hotel
          and n.room_type_code = room_type and n.night = of_night and n.block_id = block and not n.is_test_data and n.status = 'held'))) then
    raise exception 'rooms of a block on % do not add up', of_night using errcode = 'check_violation', constraint = 'block_nights_counted';
  end if;
end $$;

create function room_nights_check() returns trigger language plpgsql as $$
begin
  perform room_night_must_add_up(new.tenant_id, new.event_id, new.hotel_id, new.room_type_code, new.night);
  return null;
end $$;
create constraint trigger room_nights_counted after insert or update of booked, held, allocated on room_nights deferrable initially deferred
for each row execute function room_nights_check();

create function block_nights_check() returns trigger language plpgsql as $$
declare
  b block_nights := case when tg_op = 'DELETE' then old else new end;
begin
  perform room_night_must_add_up(b.tenant_id, b.event_id, b.hotel_id, b.room_type_code, b.night);
  perform block_night_must_add_up(b.tenant_id, b.event_id, b.block_id, b.hotel_id, b.room_type_code, b.night);
  return null;
end $$;
create constraint trigger block_nights_counted after insert or delete or update of booked, held, rooms on block_nights deferrable initially deferred
for each row execute function block_nights_check();

-- H4. A stay has all of its nights, one after the other, in one place, and a number; what is no stay any more has none.
create function reservation_must_be_whole(tenant integer, event text, reservation text) returns void language plpgsql as $$
begin
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

create function reservations_check() returns trigger language plpgsql as $$
begin
  perform reservation_must_be_whole(new.tenant_id, new.event_id, new.id);
  return null;
end $$;
create constraint trigger reservations_whole after insert or update of status, check_in, check_out, hotel_id, room_type_code, participant_id
on reservations deferrable initially deferred for each row execute function reservations_check();

create function reservation_night_must_add_up(n reservation_nights) returns void language plpgsql as $$
begin
  perform reservation_must_be_whole(n.tenant_id, n.event_id, n.reservation_id);
  if n.is_test_data then return; end if;
  if n.block_id is null then
    perform room_night_must_add_up(n.tenant_id, n.event_id, n.hotel_id, n.room_type_code, n.night);
  else
    perform block_night_must_add_up(n.tenant_id, n.event_id, n.block_id, n.hotel_id, n.room_type_code, n.night);
  end if;
end $$;

create function reservation_nights_check() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then perform reservation_night_must_add_up(old); end if;
  if tg_op = 'INSERT' or tg_op = 'UPDATE' and (new.hotel_id, new.room_type_code, new.night, new.block_id, new.reservation_id)
    is distinct from (old.hotel_id, old.room_type_code, old.night, old.block_id, old.reservation_id) then
    perform reservation_night_must_add_up(new);
  end if;
  return null;
end $$;
create constraint trigger reservation_nights_counted after insert or update or delete on reservation_nights deferrable initially deferred
for each row execute function reservation_nights_check();

-- H6. An offer is a room that is held, at the end of every transaction.
create function hotel_waitlist_entries_hold() returns trigger language plpgsql as $$
declare
  entry text := case when tg_table_name = 'reservations' then to_jsonb(new) ->> 'entry_id' else to_jsonb(new) ->> 'id' end;
begin
  if exists (
    select from hotel_waitlist_entries w where w.tenant_id = new.tenant_id and w.event_id = new.event_id and w.id = entry
      and (w.status = 'offered') <> exists (
        select from reservations s where s.tenant_id = w.tenant_id and s.event_id = w.event_id and s.entry_id = w.id and s.status = 'held'
          and (w.status = 'offered' or not s.charging))) then
    raise exception 'an offer and its hold go together' using errcode = 'check_violation', constraint = 'hotel_waitlist_entries_hold';
  end if;
  return null;
end $$;
create constraint trigger hotel_waitlist_entries_held after insert or update on hotel_waitlist_entries deferrable initially deferred
for each row execute function hotel_waitlist_entries_hold();
create constraint trigger reservations_offered after insert or update on reservations deferrable initially deferred
for each row when (new.entry_id is not null) execute function hotel_waitlist_entries_hold();

-- Nights are taken and given back by the functions below and by nothing else. Whoever touches several locks room_nights by key, then
-- block_nights by key, then the reservation; whoever is told that a night is full was told so after overdue holds on it had been ended.

create function reservation_lock(tenant integer, event text, reservation text) returns void language plpgsql as $$
begin
  perform from room_nights r where r.tenant_id = tenant and r.event_id = event and (r.hotel_id, r.room_type_code, r.night) in (
    select n.hotel_id, n.room_type_code, n.night from reservation_nights n
    where n.tenant_id = tenant and n.event_id = event and n.reservation_id = reservation)
  order by r.hotel_id, r.room_type_code, r.night for no key update;
  perform from block_nights b where b.tenant_id = tenant and b.event_id = event and (b.block_id, b.hotel_id, b.room_type_code, b.night) in (
    select n.block_id, n.hotel_id, n.room_type_code, n.night from reservation_nights n
    where n.tenant_id = tenant and n.event_id = event and n.reservation_id = reservation)
  order by b.block_id, b.hotel_id, b.room_type_code, b.night for no key update;
  perform from reservations s where s.tenant_id = tenant and s.event_id = event and s.id = reservation for no key update;
end $$;

-- Gives these nights back to where they came from; after the cut-off the hotel has them again. A block that is kept longer keeps its own.
create function reservation_nights_free(tenant integer, event text, reservation text, freed date[]) returns integer language plpgsql as $$
declare
  n record;
  many integer := 0;
  goes boolean;
  today date := (select (lanyard_now() at time zone e.timezone)::date from events e where e.tenant_id = tenant and e.id = event);
begin
  perform reservation_lock(tenant, event, reservation);
  for n in
    delete from reservation_nights d where d.tenant_id = tenant and d.event_id = event and d.reservation_id = reservation and d.night = any(freed)
    returning d.* loop
    many := many + 1;
    continue when n.is_test_data;
    goes := exists (select from housing_contracts c where c.tenant_id = tenant and c.event_id = event and c.hotel_id = n.hotel_id
        and c.cutoff_action = 'return' and c.cutoff_on < today)
      and not exists (select from room_blocks b where b.tenant_id = tenant and b.event_id = event and b.id = n.block_id and b.release_on >= today);
    if n.block_id is not null then
      update block_nights b set
        booked = b.booked - case when n.status = 'held' then 0 else 1 end,
        held = b.held - case when n.status = 'held' then 1 else 0 end,
        rooms = b.rooms - case when goes then 1 else 0 end
      where b.tenant_id = tenant and b.event_id = event and b.block_id = n.block_id and b.hotel_id = n.hotel_id
        and b.room_type_code = n.room_type_code and b.night = n.night;
      continue when not goes;
    end if;
    update room_nights r set
      booked = r.booked - case when n.block_id is null and n.status <> 'held' then 1 else 0 end,
      held = r.held - case when n.block_id is null and n.status = 'held' then 1 else 0 end,
      allocated = r.allocated - case when n.block_id is null then 0 else 1 end,
      returned = r.returned + case when goes then 1 else 0 end
    where r.tenant_id = tenant and r.event_id = event and r.hotel_id = n.hotel_id and r.room_type_code = n.room_type_code and r.night = n.night;
  end loop;
  return many;
end $$;

-- Ends one hold that ran out, and the offer it belonged to; false when somebody was quicker.
create function reservation_expire(tenant integer, event text, reservation text) returns boolean language plpgsql as $$
declare
  entry text;
begin
  perform reservation_lock(tenant, event, reservation);
  if not exists (select from reservations s where s.tenant_id = tenant and s.event_id = event and s.id = reservation and s.status = 'held'
    and not s.charging and s.held_until <= lanyard_now()) then return false; end if;
  perform reservation_nights_free(tenant, event, reservation, array(
    select n.night from reservation_nights n where n.tenant_id = tenant and n.event_id = event and n.reservation_id = reservation));
  update reservations s set status = 'expired', held_until = null
  where s.tenant_id = tenant and s.event_id = event and s.id = reservation returning s.entry_id into entry;
  update hotel_waitlist_entries w set status = 'removed', offered_until = null, reason = 'offer_expired', ended_at = lanyard_now()
  where w.tenant_id = tenant and w.event_id = event and w.id = entry and w.status = 'offered';
  return true;
end $$;

-- Overdue holds on these nights; true when there were any.
create function room_nights_expire(tenant integer, event text, hotel text, room_type text, nights date[]) returns boolean language plpgsql as $$
declare
  overdue record;
  any_ended boolean := false;
begin
  for overdue in
    select distinct s.id from reservation_nights n
    join reservations s on s.tenant_id = n.tenant_id and s.event_id = n.event_id and s.id = n.reservation_id
    where n.tenant_id = tenant and n.event_id = event and n.hotel_id = hotel and n.room_type_code = room_type and n.night = any(nights)
      and n.status = 'held' and s.status = 'held' and not s.charging and s.held_until <= lanyard_now() order by s.id loop
    any_ended := reservation_expire(tenant, event, overdue.id) or any_ended;
  end loop;
  return any_ended;
end $$;

-- Takes a room of a type on every one of these nights: out of these blocks in their order, then out of free sale where that is allowed. Returns
-- { taken: [{ night, blockId }] }, or { short: [night] } and then has changed nothing.
create function room_nights_take(
  tenant integer, event text, hotel text, room_type text, wanted date[], blocks text[], free_sell boolean, holds boolean
) returns jsonb language plpgsql as $$
declare
  block text;
  got date[];
  missing date[];
  taken jsonb;
begin
  loop
    -- A block of its own: what it did is undone when a night is full, and its locks are given up before others are taken.
    begin
      taken := '[]';
      missing := wanted;
      if free_sell then
        perform from room_nights r where r.tenant_id = tenant and r.event_id = event and r.hotel_id = hotel and r.room_type_code = room_type
          and r.night = any(wanted) order by r.night for no key update;
      end if;
      perform from block_nights b where b.tenant_id = tenant and b.event_id = event and b.block_id = any(blocks) and b.hotel_id = hotel
        and b.room_type_code = room_type and b.night = any(wanted) order by b.block_id, b.night for no key update;
      foreach block in array blocks loop
        with given as (
          update block_nights b set booked = b.booked + case when holds then 0 else 1 end, held = b.held + case when holds then 1 else 0 end
          where b.tenant_id = tenant and b.event_id = event and b.block_id = block and b.hotel_id = hotel and b.room_type_code = room_type
            and b.night = any(missing) and b.booked + b.held < b.rooms
          returning b.night)
        select coalesce(array_agg(given.night), '{}') into got from given;
        taken := taken || coalesce((select jsonb_agg(jsonb_build_object('night', t.night, 'blockId', block)) from unnest(got) as t(night)), '[]');
        missing := array(select m.night from unnest(missing) as m(night) where m.night <> all(got));
      end loop;
      if free_sell then
        with given as (
          update room_nights r set booked = r.booked + case when holds then 0 else 1 end, held = r.held + case when holds then 1 else 0 end
          where r.tenant_id = tenant and r.event_id = event and r.hotel_id = hotel and r.room_type_code = room_type
            and r.night = any(missing) and r.returned + r.allocated + r.booked + r.held < r.contracted
          returning r.night)
        select coalesce(array_agg(given.night), '{}') into got from given;
        taken := taken || coalesce((select jsonb_agg(jsonb_build_object('night', t.night, 'blockId', null)) from unnest(got) as t(night)), '[]');
        missing := array(select m.night from unnest(missing) as m(night) where m.night <> all(got));
      end if;
      if cardinality(missing) = 0 then return jsonb_build_object('taken', taken); end if;
      raise exception using errcode = 'LY003', message = 'full';
    exception when sqlstate 'LY003' then
      null;
    end;
    if not room_nights_expire(tenant, event, hotel, room_type, missing) then
      return jsonb_build_object('short', (select jsonb_agg(m.night order by m.night) from unnest(missing) as m(night)));
    end if;
  end loop;
end $$;

-- A hold becomes a stay; false when it had run out and was ended.
create function reservation_nights_confirm(tenant integer, event text, reservation text) returns boolean language plpgsql as $$
declare
  n record;
begin
  perform reservation_lock(tenant, event, reservation);
  if not exists (select from reservations s where s.tenant_id = tenant and s.event_id = event and s.id = reservation and s.status = 'held') then
    return false;
  end if;
  for n in
    update reservation_nights u set status = 'confirmed'
    where u.tenant_id = tenant and u.event_id = event and u.reservation_id = reservation and u.status = 'held' returning u.* loop
    continue when n.is_test_data;
    if n.block_id is null then
      update room_nights r set held = r.held - 1, booked = r.booked + 1
      where r.tenant_id = tenant and r.event_id = event and r.hotel_id = n.hotel_id and r.room_type_code = n.room_type_code and r.night = n.night;
    else
      update block_nights b set held = b.held - 1, booked = b.booked + 1
      where b.tenant_id = tenant and b.event_id = event and b.block_id = n.block_id and b.hotel_id = n.hotel_id
        and b.room_type_code = n.room_type_code and b.night = n.night;
    end if;
  end loop;
  return true;
end $$;
