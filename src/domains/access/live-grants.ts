/**
 * Whether the grant `g` of the user `u` still opens anything, in SQL. Requests and refreshes ask the same question: an app that was
 * refused while its refresh succeeded would try for ever.
 */
export const LIVE_GRANT = `
  g.revoked_at is null and g.last_used_at > lanyard_now() - interval '30 days' and u.active and g.access_version = u.access_version`

/** Whether the user `u` belongs to any client; a staff role counts for the client of its event. */
export const HAS_CLIENT = `
  (exists (select from memberships m where m.tenant_id = u.tenant_id and m.user_id = u.id)
   or exists (select from event_staff s where s.tenant_id = u.tenant_id and s.user_id = u.id))`
