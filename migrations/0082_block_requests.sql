-- Requests of groups and companies for rooms, and changes that they ask for later. The rooms of a request are the nights of its block.
create table block_requests (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  -- Null while the request is a draft.
  number text collate "C",
  kind text not null default 'private' check (kind in ('private', 'public')),
  group_id text collate "C",
  company_id text collate "C",
  is_test_data boolean not null default false,
  requester_name text not null,
  requester_email text not null,
  -- [{ night, rooms }] by night.
  profile jsonb not null,
  room_types text[] not null default '{}',
  -- Ids of hotels, the first choice first.
  hotel_preferences text[] not null default '{}' check (cardinality(hotel_preferences) <= 5),
  keep_together boolean not null default true,
  payment_by text not null default 'guest' check (payment_by in ('guest', 'master')),
  note text,
  status text not null default 'draft'
    check (status in ('draft', 'submitted', 'partiallyAllocated', 'allocated', 'accepted', 'declined', 'closed')),
  block_id text collate "C",
  -- The last day on which the requester can accept.
  accept_by date,
  -- [{ night, rooms }] that the requester accepted.
  accepted jsonb,
  -- What closing ended: { status, sellStatus, released: [{ hotelId, roomTypeCode, night, rooms }] }.
  closing jsonb,
  -- Counts the emails about the rooms, so that each is sent once.
  letters_sent integer not null default 0 check (letters_sent >= 0),
  submitted_at timestamptz,
  -- When the requester accepted or declined the rooms.
  answered_at timestamptz,
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  searched text not null generated always as (lanyard_searched(number, requester_name, requester_email)) stored,
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id) references events,
  foreign key (tenant_id, event_id, group_id) references managed_groups,
  foreign key (tenant_id, event_id, company_id) references companies,
  foreign key (tenant_id, event_id, block_id) references room_blocks,
  constraint block_requests_requester check (num_nonnulls(group_id, company_id) = 1),
  constraint block_requests_numbered check ((status = 'draft') = (number is null)),
  constraint block_requests_submitted check ((status = 'draft') = (submitted_at is null)),
  constraint block_requests_closed check ((status = 'closed') = (closing is not null)),
  constraint block_requests_accepted check (status <> 'accepted' or accepted is not null)
);
create unique index block_requests_number on block_requests (tenant_id, event_id, number) where number is not null;
create unique index block_requests_of_block on block_requests (tenant_id, event_id, block_id) where block_id is not null;
create index block_requests_of_group on block_requests (tenant_id, event_id, group_id) where group_id is not null;
create index block_requests_of_company on block_requests (tenant_id, event_id, company_id) where company_id is not null;
create index block_requests_waiting on block_requests (accept_by) where accept_by is not null and status in ('partiallyAllocated', 'allocated');
create index block_requests_searched on block_requests using gin (searched gin_trgm_ops);
create trigger block_requests_touch before update on block_requests for each row execute function lanyard_touch('searched');

create table block_request_amendments (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  request_id text collate "C" not null,
  status text not null default 'pending' check (status in ('pending', 'approved', 'denied', 'withdrawn')),
  -- [{ night, delta, hotelId?, roomTypeCode? }]
  changes jsonb not null,
  reason text,
  decided_by text,
  -- The note of an approval, or the reason of a denial.
  decision text,
  decided_at timestamptz,
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id, request_id) references block_requests,
  constraint block_request_amendments_decided check ((status = 'pending') = (decided_at is null))
);
-- One pending change per request.
create unique index block_request_amendments_pending on block_request_amendments (tenant_id, event_id, request_id) where status = 'pending';
create index block_request_amendments_of_request on block_request_amendments (tenant_id, event_id, request_id);
create trigger block_request_amendments_touch before update on block_request_amendments for each row execute function lanyard_touch();

-- Links in emails to the requester. Each opens one request; only its hash is stored.
create table block_request_links (
  tenant_id integer not null,
  event_id text collate "C" not null,
  token_hash bytea not null,
  request_id text collate "C" not null,
  email text not null,
  created_at timestamptz not null default lanyard_now(),
  expires_at timestamptz not null,
  primary key (tenant_id, event_id, token_hash),
  foreign key (tenant_id, event_id, request_id) references block_requests
);
create index block_request_links_of_request on block_request_links (tenant_id, event_id, request_id);
create index block_request_links_expired on block_request_links (expires_at);

alter table room_blocks add foreign key (tenant_id, event_id, request_id) references block_requests;
