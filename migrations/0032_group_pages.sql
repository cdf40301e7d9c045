-- As whom somebody is there: with their own registration, or as an admin of groups, who need not have one. Each kind is proved by codes of its own,
-- and opens nothing of the other.
alter table person_sessions
  add column kind text collate "C" not null default 'person' check (kind in ('person', 'groupAdmin')),
  add constraint person_sessions_admin check (kind = 'person' or participant_ids = '{}');

-- A badge that somebody found says nothing of the event it is for.
create index participants_of_badge on participants (badge_id) where badge_id is not null;
