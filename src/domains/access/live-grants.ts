/**
 * SQL condition: the OAuth grant `g` of user `u` is valid. Shared by requests and token refresh, because an app whose refresh succeeds
 * while requests fail would retry forever.
 */
export const GRANT_IS_LIVE_SQL = `
  g.revoked_at is null and g.last_used_at > lanyard_now() - interval '30 days' and u.active and g.access_version = u.access_version`

/** SQL condition: user `u` has a role at a client or at an event. */
export const USER_HAS_ROLE_SQL = `
  (exists (select from memberships m where m.tenant_id = u.tenant_id and m.user_id = u.id)
   or exists (select from event_staff s where s.tenant_id = u.tenant_id and s.user_id = u.id))`
