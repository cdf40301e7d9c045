-- Booth offers, proposed assignments and adjustments of priority points.
alter table booth_applications
  -- Counts the offers made to this application, so that the link of an earlier offer never accepts a later one.
  add column offer_number integer not null default 0 check (offer_number >= 0),
  -- When the latest offer was declined, withdrawn or expired; null while it is open or after it was accepted.
  add column offer_ended_at timestamptz,
  -- The booths named in the latest assignment email, and how many of those emails were sent.
  add column letter_booth_ids text[] not null default '{}',
  add column letters_sent integer not null default 0 check (letters_sent >= 0);
create index booth_applications_offered on booth_applications (tenant_id, event_id, company_id) where status = 'offered';
create index booth_applications_of_status on booth_applications (tenant_id, event_id, status);

-- X3. The booths of an open offer are held for its company. Checked at the end of the transaction, because two tables change.
create function booth_offer_is_held(tenant integer, event text, company text) returns void language plpgsql as $$
begin
  if exists (select from booth_applications a cross join unnest(a.offer_booth_ids) o(booth_id)
    where a.tenant_id = tenant and a.event_id = event and a.company_id = company and a.status = 'offered'
      and not exists (select from booths b where b.tenant_id = tenant and b.event_id = event and b.id = o.booth_id and b.held_for = company)) then
    raise exception 'the booths of an open offer are held for its company' using errcode = 'check_violation', constraint = 'booth_offer_held';
  end if;
end $$;
create function booth_applications_offer_held() returns trigger language plpgsql as $$
begin
  perform booth_offer_is_held(new.tenant_id, new.event_id, new.company_id);
  return null;
end $$;
create constraint trigger booth_applications_offer_held after insert or update of status, offer_booth_ids, company_id on booth_applications
deferrable initially deferred for each row when (new.status = 'offered') execute function booth_applications_offer_held();
create function booths_offer_held() returns trigger language plpgsql as $$
begin
  perform booth_offer_is_held(old.tenant_id, old.event_id, old.held_for);
  return null;
end $$;
create constraint trigger booths_offer_held after update of held_for on booths
deferrable initially deferred for each row when (old.held_for is not null and old.held_for is distinct from new.held_for)
execute function booths_offer_held();

-- Adjustments of an organization's priority points, by hand. The rules of the event are calculated, never stored.
create table points_entries (
  tenant_id integer not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  organization_id text collate "C" not null,
  -- The event at which the adjustment was made; it counts at every event of the client.
  event_id text collate "C",
  points numeric(12, 2) not null check (points <> 0),
  reason text not null,
  by text not null,
  at timestamptz not null default lanyard_now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, organization_id) references organizations,
  foreign key (tenant_id, event_id) references events
);
create index points_entries_of_organization on points_entries (tenant_id, organization_id);

create table assignment_proposals (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  -- Revisions of the floor plans that the proposal was made for, by plan id.
  plan_revisions jsonb not null,
  input jsonb not null,
  -- Null while a job calculates it.
  result jsonb,
  job_id text collate "C",
  by text not null,
  created_at timestamptz not null default lanyard_now(),
  expires_at timestamptz not null default lanyard_now() + interval '30 days',
  applied_at timestamptz,
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id) references events,
  constraint assignment_proposals_applied check (applied_at is null or result is not null)
);
create index assignment_proposals_expired on assignment_proposals (expires_at);
