import { AppError } from '../../../../kernel/errors.ts'
import { getPermissionsInAnyScope } from '../../../../kernel/permissions.ts'

export const AUDIT_PATH = '/console/audit'

/** The tabs that switch between the audit log and the list of background jobs. */
export const AuditAndJobTabs = ({ current }: { current: 'audit' | 'jobs' }) => (
  <nav class="tabs" aria-label="Records">
    <a href={AUDIT_PATH} aria-current={current === 'audit' ? 'page' : undefined}>
      Audit log
    </a>
    <a href="/console/jobs" aria-current={current === 'jobs' ? 'page' : undefined}>
      Jobs
    </a>
  </nav>
)

/** Requires the permission clients.read at any client. The lists themselves limit which records each user sees. */
export function requireAuditAccess(access: Parameters<typeof getPermissionsInAnyScope>[0]): void {
  if (!getPermissionsInAnyScope(access).has('clients.read'))
    throw new AppError(
      'forbidden',
      'This page needs the clients.read permission at one of your clients. Ask a client administrator for access.',
    )
}
