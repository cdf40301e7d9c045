-- Whose mail it is when no event is: an invitation to a client is seen by who administers that client, and not by others of the tenant.
alter table messages
  add column client_id text collate "C",
  add foreign key (tenant_id, client_id) references clients;

-- Bodies are kept 90 days, the rest for good: whoever removes them finds those that are left without reading all.
create index messages_with_body on messages (queued_at) where text_body <> '' or html_body is not null;

-- A second factor that was begun and not confirmed is forgotten after an hour: whoever begins it proves the password, whoever confirms it need not.
alter table users add column totp_begun_at timestamptz;

-- When somebody was last in the console, by sessions that are removed; those that are left say so themselves.
alter table users add column last_seen_at timestamptz;
-- To have been there changes nothing about the person.
drop trigger users_touch on users;
create trigger users_touch before update on users for each row
  when (old.last_seen_at is not distinct from new.last_seen_at) execute function lanyard_touch();
