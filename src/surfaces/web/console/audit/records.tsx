import { AppError } from '../../../../kernel/errors.ts'
import { permissionsAnywhere } from '../../../../kernel/permissions.ts'

export const AUDIT_PATH = '/console/audit'

/** The two records of the service, side by side. */
export const RecordTabs = ({ current }: { current: 'audit' | 'jobs' }) => (
  <nav class="tabs" aria-label="Records">
    <a href={AUDIT_PATH} aria-current={current === 'audit' ? 'page' : undefined}>
      Audit log
    </a>
    <a href="/console/jobs" aria-current={current === 'jobs' ? 'page' : undefined}>
      Jobs
    </a>
  </nav>
)

/** Only those with clients.read somewhere come here; what they see of it is the list's business. */
export function demandRecords(access: Parameters<typeof permissionsAnywhere>[0]): void {
  if (!permissionsAnywhere(access).has('clients.read'))
    throw new AppError(
      'forbidden',
      'This page needs the clients.read permission at one of your clients. A client administrator can give it.',
    )
}
