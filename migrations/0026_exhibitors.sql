-- Exhibiting companies, the floor they stand on, whom they meet there and whom they have met. Rows of test data never meet real ones.
-- Ranges of times beside equal ids in one index: PostgreSQL trusts this extension, whoever may create tables may create it.
create extension if not exists btree_gist;

-- A company across the events of one client: history and points follow it.
create table organizations (
  tenant_id integer not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  client_id text collate "C" not null,
  name text not null,
  name_norm text collate "C" not null generated always as (btrim(lanyard_searched(name))) stored,
  aliases text[] not null default '{}',
  domain text,
  is_test_data boolean not null default false,
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, client_id) references clients
);
create index organizations_named on organizations (tenant_id, client_id, name_norm);
create index organizations_of_domain on organizations (tenant_id, client_id, domain) where domain is not null;
create trigger organizations_touch before update on organizations for each row execute function lanyard_touch();

create table companies (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  organization_id text collate "C" not null,
  code text collate "C" not null check (code ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  name text not null,
  name_norm text collate "C" not null generated always as (btrim(lanyard_searched(name))) stored,
  description text,
  logo_file_id text collate "C",
  website text,
  country text,
  categories text[] not null default '{}',
  sponsor_level text,
  sponsor_amount bigint check (sponsor_amount >= 0),
  contact_name text,
  contact_email text,
  contact_phone text,
  billing jsonb not null default '{}',
  external_id text,
  -- The code itself sealed, to be shown again; its signature, to be found by.
  activation_code text not null,
  activation_hmac text collate "C" not null,
  appointments_enabled boolean not null default false,
  status text not null default 'prospect' check (status in ('prospect', 'invited', 'active', 'cancelled')),
  is_test_data boolean not null default false,
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  searched text not null generated always as (lanyard_searched(name, code, contact_name, contact_email)) stored,
  primary key (tenant_id, event_id, id),
  unique (tenant_id, event_id, id, is_test_data),
  unique (tenant_id, event_id, code),
  unique (tenant_id, event_id, activation_hmac),
  foreign key (tenant_id, event_id) references events,
  foreign key (tenant_id, organization_id) references organizations
);
create unique index companies_named on companies (tenant_id, event_id, name_norm, is_test_data) where status <> 'cancelled';
create unique index companies_external on companies (tenant_id, event_id, external_id, is_test_data) where external_id is not null;
create index companies_of_organization on companies (tenant_id, organization_id);
create index companies_searched on companies using gin (searched gin_trgm_ops);
create trigger companies_touch before update on companies for each row execute function lanyard_touch();

alter table orders add constraint orders_company foreign key (tenant_id, event_id, company_id, is_test_data)
  references companies (tenant_id, event_id, id, is_test_data);

-- Whose booth somebody stands at.
alter table participants
  add column company_id text collate "C",
  add constraint participants_company foreign key (tenant_id, event_id, company_id, is_test_data)
    references companies (tenant_id, event_id, id, is_test_data);
create index participants_of_company on participants (tenant_id, event_id, company_id) where company_id is not null;

-- X11. One row for both directions.
create table company_competitors (
  tenant_id integer not null,
  event_id text collate "C" not null,
  company_id text collate "C" not null,
  competitor_id text collate "C" not null,
  primary key (tenant_id, event_id, company_id, competitor_id),
  foreign key (tenant_id, event_id, company_id) references companies,
  foreign key (tenant_id, event_id, competitor_id) references companies,
  constraint company_competitors_once check (company_id < competitor_id)
);
create index company_competitors_other on company_competitors (tenant_id, event_id, competitor_id);

create table exhibitor_staff (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  company_id text collate "C" not null,
  participant_id text collate "C",
  is_test_data boolean not null,
  name text not null,
  email text not null,
  email_norm text collate "C" not null generated always as (lower(email)) stored,
  role text not null check (role in ('admin', 'staff', 'contact')),
  status text not null default 'invited' check (status in ('invited', 'registered', 'removed')),
  pass text not null default 'free' check (pass in ('free', 'paid')),
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  unique (tenant_id, event_id, id, company_id),
  foreign key (tenant_id, event_id, company_id, is_test_data) references companies (tenant_id, event_id, id, is_test_data),
  foreign key (tenant_id, event_id, participant_id, is_test_data) references participants (tenant_id, event_id, id, is_test_data),
  constraint exhibitor_staff_registered check ((status = 'registered') <= (participant_id is not null))
);
create unique index exhibitor_staff_once on exhibitor_staff (tenant_id, event_id, company_id, email_norm) where status <> 'removed';
create index exhibitor_staff_of_email on exhibitor_staff (tenant_id, event_id, email_norm);
create index exhibitor_staff_of_participant on exhibitor_staff (tenant_id, event_id, participant_id) where participant_id is not null;
create trigger exhibitor_staff_touch before update on exhibitor_staff for each row execute function lanyard_touch();

-- Lengths are whole tenths of millimetres, in which metres and feet are both exact. Geometry is checked by whoever writes it, under this row's lock.
create table floor_plans (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  code text collate "C" not null check (code ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  name text not null,
  units text not null check (units in ('m', 'ft')),
  outline jsonb not null,
  source text not null default 'drawn' check (source in ('svg', 'dxf', 'pdf', 'image', 'drawn')),
  source_file_id text collate "C",
  source_to_plan jsonb,
  scale jsonb not null default '{"method": "outline", "unitsPerSourceUnit": null}',
  obstacles jsonb not null default '[]',
  aisles jsonb not null default '[]',
  zones jsonb not null default '[]',
  pois jsonb not null default '[]',
  status text not null default 'draft' check (status in ('draft', 'published', 'archived')),
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  unique (tenant_id, event_id, code),
  foreign key (tenant_id, event_id) references events
);
create trigger floor_plans_touch before update on floor_plans for each row execute function lanyard_touch();

create table booths (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  floor_plan_id text collate "C" not null,
  number text not null check (length(number) between 1 and 12),
  polygon jsonb not null,
  size_code text,
  zone_code text,
  price_override bigint check (price_override >= 0),
  status text not null default 'available' check (status in ('available', 'held', 'assigned', 'blocked', 'merged')),
  held_for text collate "C",
  held_until timestamptz,
  merged_into text collate "C",
  utilities text[] not null default '{}',
  note text,
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id, floor_plan_id) references floor_plans,
  foreign key (tenant_id, event_id, held_for) references companies,
  foreign key (tenant_id, event_id, merged_into) references booths,
  constraint booths_held check ((status = 'held') = (held_for is not null) and (status = 'held') = (held_until is not null)),
  constraint booths_merged check ((status = 'merged') = (merged_into is not null))
);
-- X1.
create unique index booths_numbered on booths (tenant_id, event_id, lower(number)) where status <> 'merged';
create index booths_of_plan on booths (tenant_id, event_id, floor_plan_id);
create index booths_held_for on booths (tenant_id, event_id, held_for) where held_for is not null;
create index booths_overdue on booths (held_until) where status = 'held';
create trigger booths_touch before update on booths for each row execute function lanyard_touch();

create table booth_assignments (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  booth_id text collate "C" not null,
  company_id text collate "C" not null,
  application_id text collate "C",
  "from" timestamptz not null default lanyard_now(),
  until timestamptz,
  order_line_ids text[] not null default '{}',
  by text not null,
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id, booth_id) references booths,
  foreign key (tenant_id, event_id, company_id) references companies,
  constraint booth_assignments_span check (until >= "from")
);
create unique index booth_assignments_open on booth_assignments (tenant_id, event_id, booth_id) where until is null;
create index booth_assignments_of_company on booth_assignments (tenant_id, event_id, company_id);

-- X1. Assigned is a booth with an open assignment, and no other; looked at when the transaction ends, since two rows say it.
create function booths_assigned_as_told() returns trigger language plpgsql as $$
declare
  booth text := coalesce(to_jsonb(new) ->> 'booth_id', new.id);
begin
  if (select b.status = 'assigned' from booths b where b.tenant_id = new.tenant_id and b.event_id = new.event_id and b.id = booth)
    is distinct from exists (select from booth_assignments a
      where a.tenant_id = new.tenant_id and a.event_id = new.event_id and a.booth_id = booth and a.until is null) then
    raise exception 'a booth is assigned exactly while somebody has it' using errcode = 'check_violation', constraint = 'booths_assigned_as_told';
  end if;
  return null;
end $$;
create constraint trigger booths_assigned_as_told after insert or update of status on booths
deferrable initially deferred for each row execute function booths_assigned_as_told();
create constraint trigger booth_assignments_as_told after insert or update on booth_assignments
deferrable initially deferred for each row execute function booths_assigned_as_told();

-- What a company may do with leads. Bought with an order line, or granted by an organizer.
create table lead_licences (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  company_id text collate "C" not null,
  product_code text collate "C" not null,
  order_line_id text collate "C",
  granted_by text,
  grants text[] not null,
  seats integer not null check (seats > 0),
  status text not null default 'active' check (status in ('active', 'revoked')),
  created_at timestamptz not null default lanyard_now(),
  revoked_at timestamptz,
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id, company_id) references companies,
  foreign key (tenant_id, event_id, order_line_id) references order_lines,
  constraint lead_licences_source check (num_nonnulls(order_line_id, granted_by) = 1),
  constraint lead_licences_ended check ((status = 'revoked') = (revoked_at is not null))
);
create index lead_licences_of_company on lead_licences (tenant_id, event_id, company_id) where status = 'active';
create unique index lead_licences_of_line on lead_licences (tenant_id, event_id, order_line_id, company_id) where order_line_id is not null;

create table lead_devices (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  company_id text collate "C" not null,
  name text not null,
  platform text not null,
  token_hash bytea not null,
  status text not null default 'active' check (status in ('active', 'revoked')),
  activated_at timestamptz not null default lanyard_now(),
  last_seen_at timestamptz not null default lanyard_now(),
  revoked_at timestamptz,
  app_version text,
  clock_skew_ms integer not null default 0,
  primary key (tenant_id, event_id, id),
  unique (tenant_id, token_hash),
  unique (tenant_id, event_id, id, company_id),
  foreign key (tenant_id, event_id, company_id) references companies,
  constraint lead_devices_ended check ((status = 'revoked') = (revoked_at is not null))
);
create index lead_devices_of_company on lead_devices (tenant_id, event_id, company_id, last_seen_at);

create table leads (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  company_id text collate "C" not null,
  participant_id text collate "C" not null,
  is_test_data boolean not null,
  source text not null check (source in ('sdk', 'device', 'appointment', 'manual', 'import')),
  -- Scans alone, and when they were; kept by the rows below.
  captures integer not null default 0 check (captures >= 0),
  first_captured_at timestamptz,
  last_captured_at timestamptz,
  rating integer check (rating between 0 and 5),
  notes text,
  tags text[] not null default '{}',
  qualifiers jsonb not null default '{}',
  staff_id text collate "C",
  status text not null default 'active' check (status in ('active', 'deleted')),
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  unique (tenant_id, event_id, id, company_id),
  -- X4.
  constraint leads_once unique (tenant_id, event_id, company_id, participant_id),
  foreign key (tenant_id, event_id, company_id, is_test_data) references companies (tenant_id, event_id, id, is_test_data),
  foreign key (tenant_id, event_id, participant_id, is_test_data) references participants (tenant_id, event_id, id, is_test_data),
  foreign key (tenant_id, event_id, staff_id, company_id) references exhibitor_staff (tenant_id, event_id, id, company_id),
  constraint leads_scanned check ((captures > 0) = (first_captured_at is not null) and (captures > 0) = (last_captured_at is not null))
) with (fillfactor = 80);
create index leads_of_participant on leads (tenant_id, event_id, participant_id);
create index leads_changed on leads (tenant_id, event_id, company_id, updated_at, id);
create trigger leads_touch before update on leads for each row execute function lanyard_touch();

create table lead_captures (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  lead_id text collate "C" not null,
  company_id text collate "C" not null,
  type text not null check (type in ('sdk', 'device', 'appointment', 'manual', 'import')),
  at timestamptz not null,
  received_at timestamptz not null default lanyard_now(),
  device_id text collate "C",
  staff_id text collate "C",
  nonce text collate "C",
  primary key (tenant_id, event_id, id),
  -- Follows its lead when two companies become one.
  foreign key (tenant_id, event_id, lead_id, company_id) references leads (tenant_id, event_id, id, company_id) on update cascade,
  foreign key (tenant_id, event_id, device_id) references lead_devices,
  foreign key (tenant_id, event_id, staff_id) references exhibitor_staff,
  constraint lead_captures_nonce unique (tenant_id, event_id, company_id, nonce)
);
create index lead_captures_of_lead on lead_captures (tenant_id, event_id, lead_id, at);

-- X4. A lead counts its scans, and nobody else does.
create function leads_count() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' and old.type in ('sdk', 'device') and (tg_op = 'DELETE' or new.lead_id <> old.lead_id) then
    update leads l set captures = s.scans, first_captured_at = s.first, last_captured_at = s.last
    from (select count(*)::int as scans, min(c.at) as first, max(c.at) as last from lead_captures c
      where c.tenant_id = old.tenant_id and c.event_id = old.event_id and c.lead_id = old.lead_id and c.type in ('sdk', 'device')) s
    where l.tenant_id = old.tenant_id and l.event_id = old.event_id and l.id = old.lead_id;
  end if;
  if tg_op <> 'DELETE' and new.type in ('sdk', 'device') and (tg_op = 'INSERT' or new.lead_id <> old.lead_id) then
    update leads set captures = captures + 1, first_captured_at = least(first_captured_at, new.at), last_captured_at = greatest(last_captured_at, new.at)
    where tenant_id = new.tenant_id and event_id = new.event_id and id = new.lead_id;
  end if;
  return null;
end $$;
create trigger lead_captures_counted after insert or delete or update of lead_id on lead_captures for each row execute function leads_count();

-- What can be booked: a time with a company, or with a participant who offers it.
create table offerings (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  company_id text collate "C",
  host_participant_id text collate "C",
  is_test_data boolean not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  -- Null: at the booth that the company has then.
  location text,
  capacity integer not null default 1 check (capacity > 0),
  booked integer not null default 0 check (booked >= 0),
  -- What was booked before the capacity went below it.
  overage integer not null default 0 check (overage >= 0),
  staff_id text collate "C",
  approval text not null default 'auto' check (approval in ('auto', 'manual')),
  source text not null check (source in ('import', 'generated')),
  -- No longer offered; what was booked stays.
  removed_at timestamptz,
  created_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  unique (tenant_id, event_id, id, starts_at, ends_at, is_test_data),
  foreign key (tenant_id, event_id, company_id, is_test_data) references companies (tenant_id, event_id, id, is_test_data),
  foreign key (tenant_id, event_id, host_participant_id, is_test_data) references participants (tenant_id, event_id, id, is_test_data),
  foreign key (tenant_id, event_id, staff_id, company_id) references exhibitor_staff (tenant_id, event_id, id, company_id),
  constraint offerings_host check (num_nonnulls(company_id, host_participant_id) = 1),
  constraint offerings_span check (starts_at < ends_at),
  constraint offerings_not_overbooked check (booked <= capacity + overage)
) with (fillfactor = 80);
create unique index offerings_once on offerings (tenant_id, event_id, coalesce(company_id, host_participant_id), starts_at, coalesce(location, ''))
  where removed_at is null;
create index offerings_free on offerings (tenant_id, event_id, company_id, starts_at) where removed_at is null and booked < capacity;

create table appointments (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  offering_id text collate "C" not null,
  -- Which of the places that the offering has; of one that has one, the first.
  seat integer not null check (seat > 0),
  kind text not null check (kind in ('exhibitor', 'participant')),
  participant_id text collate "C" not null,
  with_participant_id text collate "C",
  company_id text collate "C",
  staff_id text collate "C",
  is_test_data boolean not null,
  -- Those of its offering, here to be held against those of others.
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  location text,
  status text not null check (status in ('pending', 'booked', 'declined', 'cancelled', 'completed', 'no_show')),
  message text,
  booked_by text not null,
  cancelled_by text,
  cancel_reason text,
  cancelled_at timestamptz,
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id, offering_id, starts_at, ends_at, is_test_data)
    references offerings (tenant_id, event_id, id, starts_at, ends_at, is_test_data) on update cascade,
  foreign key (tenant_id, event_id, participant_id, is_test_data) references participants (tenant_id, event_id, id, is_test_data),
  foreign key (tenant_id, event_id, with_participant_id, is_test_data) references participants (tenant_id, event_id, id, is_test_data),
  foreign key (tenant_id, event_id, company_id, is_test_data) references companies (tenant_id, event_id, id, is_test_data),
  foreign key (tenant_id, event_id, staff_id) references exhibitor_staff,
  constraint appointments_kind check (case kind when 'exhibitor' then company_id is not null and with_participant_id is null
    else company_id is null and with_participant_id is not null end),
  constraint appointments_others check (with_participant_id <> participant_id),
  constraint appointments_ended check ((status = 'cancelled') = (cancelled_at is not null)),
  -- X6.
  constraint appointments_staff_once exclude using gist (
    tenant_id with =, event_id with =, staff_id with =, offering_id with <>, tstzrange(starts_at, ends_at) with &&)
    where (status in ('pending', 'booked') and staff_id is not null)
) with (fillfactor = 80);
-- One place is one person's at a time, however many ask for it at once; whoever cancels frees it.
create unique index appointments_of_seat on appointments (tenant_id, event_id, offering_id, seat) where status in ('pending', 'booked');
create index appointments_of_participant on appointments (tenant_id, event_id, participant_id, starts_at);
create index appointments_with_participant on appointments (tenant_id, event_id, with_participant_id, starts_at) where with_participant_id is not null;
create index appointments_of_company on appointments (tenant_id, event_id, company_id, starts_at) where company_id is not null;
create trigger appointments_touch before update on appointments for each row execute function lanyard_touch();

-- Who is where in a live appointment, whichever side they booked it from.
create table appointment_people (
  tenant_id integer not null,
  event_id text collate "C" not null,
  appointment_id text collate "C" not null,
  participant_id text collate "C" not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  primary key (tenant_id, event_id, appointment_id, participant_id),
  foreign key (tenant_id, event_id, appointment_id) references appointments,
  -- X6.
  constraint appointment_people_once exclude using gist (
    tenant_id with =, event_id with =, participant_id with =, tstzrange(starts_at, ends_at) with &&)
);

-- X5, X6. What is live is counted where it is limited, and stands where it may not overlap.
create function appointments_count() returns trigger language plpgsql as $$
declare
  was boolean := tg_op <> 'INSERT' and old.status in ('pending', 'booked');
  is_now boolean := tg_op <> 'DELETE' and new.status in ('pending', 'booked');
begin
  if was and (not is_now or (old.starts_at, old.ends_at) is distinct from (new.starts_at, new.ends_at)) then
    delete from appointment_people where tenant_id = old.tenant_id and event_id = old.event_id and appointment_id = old.id;
  end if;
  if is_now and (not was or (old.starts_at, old.ends_at) is distinct from (new.starts_at, new.ends_at)) then
    insert into appointment_people (tenant_id, event_id, appointment_id, participant_id, starts_at, ends_at)
    select new.tenant_id, new.event_id, new.id, p, new.starts_at, new.ends_at
    from unnest(array[new.participant_id, new.with_participant_id]) p where p is not null;
  end if;
  if was <> is_now then
    update offerings set booked = booked + case when is_now then 1 else -1 end
    where tenant_id = coalesce(new.tenant_id, old.tenant_id) and event_id = coalesce(new.event_id, old.event_id)
      and id = coalesce(new.offering_id, old.offering_id);
  end if;
  return coalesce(new, old);
end $$;
create trigger appointments_counted after insert or update of status, starts_at, ends_at on appointments
for each row execute function appointments_count();
create trigger appointments_uncounted before delete on appointments for each row execute function appointments_count();
