-- What was agreed with a hotel, in order: 0 is the original contract. Addenda are only added.
create table housing_addenda (
  tenant_id integer not null,
  event_id text collate "C" not null,
  hotel_id text collate "C" not null,
  number integer not null check (number >= 0),
  kind text not null check (kind in ('original', 'addendum', 'review', 'finalPickup')),
  effective_on date not null,
  -- H8. Room nights that the addendum adds to the contract. Their sum is the sum of the contracted rooms.
  room_nights integer not null,
  changes jsonb not null,
  reason text not null,
  -- The review date that a reduction counts against.
  review_on date,
  signed_on date,
  file_id text collate "C",
  created_by text not null,
  created_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, hotel_id, number),
  foreign key (tenant_id, event_id, hotel_id) references housing_contracts,
  constraint housing_addenda_original check ((number = 0) = (kind = 'original')),
  constraint housing_addenda_review check ((kind = 'review') = (review_on is not null))
);

create function housing_addenda_append_only() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('lanyard.removed_tenant', true) = old.tenant_id::text then return old; end if;
  raise exception 'housing_addenda are never %', case when tg_op = 'DELETE' then 'deleted' else 'changed' end
    using errcode = 'restrict_violation';
end $$;
create trigger housing_addenda_append_only before update or delete on housing_addenda
for each row execute function housing_addenda_append_only();

insert into housing_addenda (tenant_id, event_id, hotel_id, number, kind, effective_on, room_nights, changes, reason, signed_on, created_by)
select c.tenant_id, c.event_id, c.hotel_id, 0, 'original', coalesce(c.signed_on, c.created_at::date),
  coalesce((select sum(r.contracted) from room_nights r
    where r.tenant_id = c.tenant_id and r.event_id = c.event_id and r.hotel_id = c.hotel_id), 0),
  '{}', 'Original contract', c.signed_on, 'migration'
from housing_contracts c;

-- The rooms of the original contract are what review dates allow reductions of.
create function room_nights_keep_original() returns trigger language plpgsql as $$
begin
  raise exception 'the original rooms of a contract are never changed' using errcode = 'restrict_violation';
end $$;
create trigger room_nights_keep_original before update of original on room_nights
for each row when (new.original is distinct from old.original) execute function room_nights_keep_original();

-- A contract is the record of its hotel. `cutoff_done_for` is the cut-off day whose rooms went back to the hotel.
alter table housing_contracts
  add column id text collate "C" not null generated always as (hotel_id) stored,
  add column cutoff_done_for date;
drop trigger housing_contracts_touch on housing_contracts;
create trigger housing_contracts_touch before update on housing_contracts for each row execute function lanyard_touch('id');

-- The last release date or name deadline after which a block gave up its unbooked rooms.
alter table room_blocks add column released_through date;

-- What the hotel counted after the last night, per night: it replaces our pickup.
create table housing_final_pickups (
  tenant_id integer not null,
  event_id text collate "C" not null,
  hotel_id text collate "C" not null,
  night date not null,
  pickup integer not null check (pickup >= 0),
  resold integer not null default 0 check (resold >= 0),
  audit_credit integer not null default 0 check (audit_credit >= 0),
  primary key (tenant_id, event_id, hotel_id, night),
  foreign key (tenant_id, event_id, hotel_id) references housing_contracts
);
