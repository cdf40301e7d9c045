-- Organizers fill the waiting list of a hotel. A deposit is charged to the saved card of a waiting list entry, at most once with success (H9).

alter table charges
  add column hotel_entry_id text collate "C",
  -- Which attempt at this entry the charge is, from 1.
  add column attempt integer check (attempt > 0),
  add column charge_key text collate "C" generated always as ('housing:' || hotel_entry_id || ':' || attempt) stored,
  add constraint charges_attempt_of_entry check ((hotel_entry_id is null) = (attempt is null)),
  add constraint charges_hotel_entry foreign key (tenant_id, event_id, hotel_entry_id, is_test_data)
    references hotel_waitlist_entries (tenant_id, event_id, id, is_test_data) deferrable initially deferred;
create unique index charges_by_key on charges (tenant_id, event_id, charge_key) where charge_key is not null;
create unique index charges_once_per_hotel_entry on charges (tenant_id, event_id, hotel_entry_id)
  where hotel_entry_id is not null and status <> 'failed';

-- An attempt follows the one before it, which must have failed.
create function charges_next_attempt() returns trigger language plpgsql as $$
begin
  if new.attempt <> 1 + (
    select count(*) from charges c where c.tenant_id = new.tenant_id and c.event_id = new.event_id and c.hotel_entry_id = new.hotel_entry_id
      and c.status = 'failed') then
    raise exception 'attempt % at a waiting list entry is out of turn', new.attempt
      using errcode = 'unique_violation', constraint = 'charges_next_attempt';
  end if;
  return new;
end $$;
create trigger charges_in_turn before insert on charges for each row when (new.hotel_entry_id is not null) execute function charges_next_attempt();

-- A deposit for a waiting list entry is charged while its owner may be paying for something else.
drop index charges_open_of_person;
create unique index charges_open_of_person on charges (tenant_id, event_id, participant_id)
  where entry_id is null and hotel_entry_id is null and status in ('pending', 'unknown');
create or replace function holds_keep_while_charging() returns trigger language plpgsql as $$
begin
  new.charging := new.charging or exists (
    select from charges c where c.tenant_id = new.tenant_id and c.event_id = new.event_id and c.participant_id = new.participant_id
      and c.entry_id is null and c.hotel_entry_id is null and c.status in ('pending', 'unknown'));
  return new;
end $$;

-- Charges, rooms and waiting list entries of test data reference each other and are deleted in one transaction.
alter table reservations alter constraint reservations_tenant_id_event_id_charge_id_fkey deferrable initially deferred;
alter table hotel_waitlist_entries alter constraint hotel_waitlist_entries_tenant_id_event_id_charge_id_fkey deferrable initially deferred;

-- One call of an organizer that fills the waiting list. Later steps follow its settings: a declined card passes the room on.
create table hotel_waitlist_fills (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null,
  -- Only rooms of this hotel and type are given. Null: any.
  hotel_id text collate "C",
  room_type_code text collate "C",
  -- Entries that get a room or an offer, at most. Null: no limit.
  most integer check (most > 0),
  on_decline text not null check (on_decline in ('offer', 'skip')),
  use_returned boolean not null,
  -- The job that works through a fill with many charges.
  job_id text collate "C",
  created_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id) references events,
  foreign key (tenant_id, event_id, hotel_id) references event_hotels,
  foreign key (tenant_id, job_id) references jobs
);
create unique index hotel_waitlist_fills_of_job on hotel_waitlist_fills (tenant_id, event_id, job_id) where job_id is not null;

create table hotel_waitlist_fill_entries (
  tenant_id integer not null,
  event_id text collate "C" not null,
  fill_id text collate "C" not null,
  entry_id text collate "C" not null,
  ordinal integer not null,
  -- The charge that the organizer confirmed: this attempt, up to this amount. Null: the card must not be charged.
  attempt integer,
  max_charge bigint check (max_charge > 0),
  -- Null: not processed yet.
  outcome text check (outcome in ('filled', 'offered', 'charge_pending', 'skipped')),
  reason text,
  amount bigint,
  reservation_id text collate "C",
  charge_id text collate "C",
  primary key (tenant_id, event_id, fill_id, entry_id),
  foreign key (tenant_id, event_id, fill_id) references hotel_waitlist_fills,
  foreign key (tenant_id, event_id, entry_id) references hotel_waitlist_entries on delete cascade
);
create index hotel_waitlist_fill_entries_of_entry on hotel_waitlist_fill_entries (tenant_id, event_id, entry_id);
create index hotel_waitlist_fill_entries_of_charge on hotel_waitlist_fill_entries (tenant_id, event_id, charge_id) where charge_id is not null;

-- Takes rooms back that were returned to the hotel, which has agreed: one on each of these nights that has no other room left, neither in
-- free sale nor in one of these blocks. The caller takes the nights in the same transaction.
create function room_nights_reclaim(tenant integer, event text, hotel text, room_type text, wanted date[], blocks text[]) returns void
language plpgsql as $$
begin
  perform room_nights_expire(tenant, event, hotel, room_type, wanted);
  perform from room_nights r where r.tenant_id = tenant and r.event_id = event and r.hotel_id = hotel and r.room_type_code = room_type
    and r.night = any(wanted) order by r.night for no key update;
  update room_nights r set returned = r.returned - 1
  where r.tenant_id = tenant and r.event_id = event and r.hotel_id = hotel and r.room_type_code = room_type and r.night = any(wanted)
    and r.returned > 0 and r.returned + r.allocated + r.booked + r.held >= r.contracted
    and not exists (
      select from block_nights b where b.tenant_id = tenant and b.event_id = event and b.block_id = any(blocks) and b.hotel_id = hotel
        and b.room_type_code = room_type and b.night = r.night and b.booked + b.held < b.rooms);
end $$;
