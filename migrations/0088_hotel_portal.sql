-- Links to the pages of a hotel: one per recipient, revocable and expiring. Only the hash of the token is stored.
create table hotel_links (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null,
  hotel_id text collate "C" not null,
  token_hash bytea not null check (length(token_hash) = 32),
  contact_name text not null,
  contact_email text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default lanyard_now(),
  last_used_at timestamptz,
  revoked_at timestamptz,
  primary key (tenant_id, event_id, id),
  unique (tenant_id, token_hash),
  foreign key (tenant_id, event_id, hotel_id) references event_hotels
);
create index hotel_links_of_token on hotel_links (token_hash);
create index hotel_links_of_hotel on hotel_links (tenant_id, event_id, hotel_id, created_at);

-- What a hotel was sent, version by version. The next version is compared with the rows of the last one.
create table rooming_lists (
  tenant_id integer not null,
  event_id text collate "C" not null,
  hotel_id text collate "C" not null,
  version integer not null check (version > 0),
  rows jsonb not null,
  added integer not null check (added >= 0),
  changed integer not null check (changed >= 0),
  cancelled integer not null check (cancelled >= 0),
  created_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, hotel_id, version),
  foreign key (tenant_id, event_id, hotel_id) references event_hotels
);

-- What the hotel counted after the last night. A draft until the hotel says that it is final.
create table hotel_pickup_reports (
  tenant_id integer not null,
  event_id text collate "C" not null,
  hotel_id text collate "C" not null,
  nights jsonb not null,
  reason text check (length(reason) <= 1000),
  saved_at timestamptz not null default lanyard_now(),
  final_at timestamptz,
  primary key (tenant_id, event_id, hotel_id),
  foreign key (tenant_id, event_id, hotel_id) references event_hotels
);

-- The day on which the list of the hotel was last compared, so that one morning makes at most one version.
alter table housing_contracts add column rooming_checked_on date;

-- Hotels and other suppliers act on pages of their own.
alter table audit_entries drop constraint audit_entries_actor_kind_check;
alter table audit_entries add constraint audit_entries_actor_kind_check
  check (actor_kind in ('organizer', 'apiAccount', 'participant', 'exhibitor', 'supplier', 'operator', 'job'));
