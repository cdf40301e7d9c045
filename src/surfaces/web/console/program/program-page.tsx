import type { EventConfig } from '../../../../domains/configuration/schema/event-config.ts'
import type { SubmissionStatus } from '../../../../domains/submissions/states.ts'
import { StatusDot, type ColourTone } from '../../components/parts.tsx'
import { CONSOLE_EVENT_PATH, type EventPageContext } from '../event/event-page.ts'

export const PROGRAM_PATH = `${CONSOLE_EVENT_PATH}/program`

export const mayChangeProgram = ({ permissions, event }: EventPageContext): boolean =>
  permissions.has('sessions.write') && event.status !== 'archived'

const TONES: Partial<Record<SubmissionStatus, ColourTone>> = {
  accepted: 'success',
  confirmed: 'success',
  backup: 'warning',
  rejected: 'danger',
}
const LABELS: Partial<Record<SubmissionStatus, string>> = { under_review: 'under review', backup: 'reserve list' }
const OPEN: readonly SubmissionStatus[] = ['draft', 'submitted', 'under_review']

export const formatSubmissionStatus = (status: SubmissionStatus): string => LABELS[status] ?? status

export const SUBMISSION_DECISION_LABELS = { accepted: 'Accept', backup: 'Reserve list', rejected: 'Reject' } as const

/** The status of a submitted proposal, followed by the decision if its author was not informed of it yet. */
export const SubmissionStatusLabel = ({
  status,
  pending,
}: {
  status: SubmissionStatus
  pending: keyof typeof SUBMISSION_DECISION_LABELS | null
}) => (
  <span>
    <StatusDot tone={TONES[status]} hollow={OPEN.includes(status)}>
      {formatSubmissionStatus(status)}
    </StatusDot>
    {pending ? <span class="muted"> · {pending === 'backup' ? 'reserve list' : pending}, not informed</span> : null}
  </span>
)

export const toSelectOptions = (items: readonly { code: string; name: string }[]) =>
  items.map(({ code, name }) => ({ value: code, label: name }))

export const findNameByCode = (items: readonly { code: string; name: string }[], code: string | null): string =>
  items.find((item) => item.code === code)?.name ?? code ?? '–'

export type ProgramConfig = EventConfig['sessions']

const TABS = [
  { tab: 'proposals', path: 'program', label: 'Proposals' },
  { tab: 'sessions', path: 'program/sessions', label: 'Sessions' },
] as const

export const ProgramTabs = ({ base, current }: { base: string; current: (typeof TABS)[number]['tab'] }) => (
  <nav class="tabs" aria-label="Programme">
    {TABS.map(({ tab, path, label }) => (
      <a href={`${base}/${path}`} aria-current={tab === current ? 'page' : undefined}>
        {label}
      </a>
    ))}
  </nav>
)
