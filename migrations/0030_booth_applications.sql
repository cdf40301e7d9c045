-- What somebody wants to pay by card now where a flow lets them pay a part and the rest later, in minor units; null is all. And the booth that
-- they ask for: it becomes an application when they finish.
alter table registration_progress
  add column pay_now bigint check (pay_now > 0),
  add column booth_request jsonb;

-- A company asks for space, and what comes of it.
create table booth_applications (
  tenant_id integer not null,
  event_id text collate "C" not null,
  id text collate "C" not null check (id ~ '^[0-9a-f]{24}$'),
  -- Of one that was submitted; a draft has none yet.
  number text collate "C",
  company_id text collate "C" not null,
  -- Who asked on a page; null where an organizer wrote it down.
  participant_id text collate "C",
  is_test_data boolean not null,
  status text not null default 'draft' check (status in ('draft', 'submitted', 'under_review', 'approved', 'waitlisted', 'offered', 'accepted',
    'rejected', 'withdrawn', 'cancelled')),
  -- Beside another one that is live.
  additional boolean not null default false,
  wanted jsonb not null default '{}',
  answers jsonb not null default '{}',
  submitted_at timestamptz,
  -- Frozen when a proposal is applied.
  points numeric(12, 2),
  offer_booth_ids text[] not null default '{}',
  offer_amount bigint check (offer_amount >= 0),
  offer_until timestamptz,
  offer_sent_at timestamptz,
  decision_note text,
  revision integer not null default 1,
  created_at timestamptz not null default lanyard_now(),
  updated_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, id),
  foreign key (tenant_id, event_id, company_id, is_test_data) references companies (tenant_id, event_id, id, is_test_data),
  foreign key (tenant_id, event_id, participant_id, is_test_data) references participants (tenant_id, event_id, id, is_test_data),
  constraint booth_applications_submitted check ((status = 'draft') <= (submitted_at is null) and (submitted_at is not null) <= (number is not null)),
  constraint booth_applications_offer check ((status = 'offered') <= (offer_until is not null and cardinality(offer_booth_ids) > 0))
);
create unique index booth_applications_numbered on booth_applications (tenant_id, event_id, number) where number is not null;
-- X3.
create unique index booth_applications_live on booth_applications (tenant_id, event_id, company_id)
  where not additional and status not in ('draft', 'rejected', 'withdrawn', 'cancelled');
create index booth_applications_of_company on booth_applications (tenant_id, event_id, company_id);
create index booth_applications_of_participant on booth_applications (tenant_id, event_id, participant_id) where participant_id is not null;
create trigger booth_applications_touch before update on booth_applications for each row execute function lanyard_touch();
