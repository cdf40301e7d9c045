-- A browser session of the exhibitor portal is proved by codes of its own and gives access to the companies of its email address. A person of
-- several companies chooses one.
alter table person_sessions
  drop constraint person_sessions_kind_check,
  add constraint person_sessions_kind_check check (kind in ('person', 'groupAdmin', 'exhibitor')),
  add column company_id text collate "C",
  add constraint person_sessions_company check (kind = 'exhibitor' or company_id is null),
  add foreign key (tenant_id, event_id, company_id) references companies;
create index person_sessions_of_company on person_sessions (tenant_id, event_id, company_id) where company_id is not null;

-- The company whose invitation started the registration, and the invited staff member; without one the company's contact was invited.
alter table registration_progress
  add column invited_company_id text collate "C",
  add column invited_staff_id text collate "C",
  add constraint registration_progress_invited check (invited_staff_id is null or invited_company_id is not null),
  add foreign key (tenant_id, event_id, invited_company_id) references companies,
  add foreign key (tenant_id, event_id, invited_staff_id) references exhibitor_staff;
create index registration_progress_of_company on registration_progress (tenant_id, event_id, invited_company_id) where invited_company_id is not null;
create index registration_progress_of_staff on registration_progress (tenant_id, event_id, invited_staff_id) where invited_staff_id is not null;

-- The companies that have an email address as their contact.
create index companies_of_contact on companies (tenant_id, event_id, lanyard_fold_email(contact_email)) where contact_email is not null;
