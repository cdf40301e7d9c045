-- An email about a changed registration is written in a transaction of its own, after the change has released its locks. Until then this row
-- says which email is due since when. A recurring task sends what a stopped process has left. Replaces registration_progress.confirmation_due_at.
create table due_registration_emails (
  tenant_id integer not null,
  event_id text collate "C" not null,
  participant_id text collate "C" not null,
  kind text not null check (kind in ('confirmation', 'cancellation', 'substitution', 'incompleteSubstitution', 'passedOn')),
  is_test_data boolean not null,
  due_at timestamptz not null default lanyard_now(),
  primary key (tenant_id, event_id, participant_id, kind),
  foreign key (tenant_id, event_id, participant_id, is_test_data) references participants (tenant_id, event_id, id, is_test_data) on delete cascade
);
create index due_registration_emails_due on due_registration_emails (due_at);

insert into due_registration_emails (tenant_id, event_id, participant_id, kind, is_test_data, due_at)
select tenant_id, event_id, participant_id, 'confirmation', is_test_data, confirmation_due_at
from registration_progress where confirmation_due_at is not null;
