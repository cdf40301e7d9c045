-- An address signs in at one tenant: at the one where its owner chose a password. Until then several may have invited it, and none holds it against the others.
alter table users drop constraint users_email_norm_key;
alter table users add unique (tenant_id, email_norm);
create index users_of_email on users (email_norm);
create unique index users_signing_in on users (email_norm) where password_hash is not null;

-- Logins that nobody ever used go with their last role; these are left from before.
delete from users u where password_hash is null
  and not exists (select from memberships m where m.tenant_id = u.tenant_id and m.user_id = u.id)
  and not exists (select from event_staff s where s.tenant_id = u.tenant_id and u.id in (s.user_id, s.assigned_by))
  and not exists (select from oauth_grants g where g.tenant_id = u.tenant_id and g.user_id = u.id)
  and not exists (select from memories m where m.tenant_id = u.tenant_id and m.created_by = u.id)
  and not exists (select from custom_instructions i where i.tenant_id = u.tenant_id and i.updated_by = u.id);
