import type { Child } from 'hono/jsx'
import type { getParticipantDetails } from '../../../../domains/registration/find/get-participant.ts'
import { toDayInZone } from '../../../../kernel/time.ts'
import { formatDate } from '../../components/dates.ts'
import { StatusLabel } from '../../components/parts.tsx'
import { ParticipantStatusBadge } from './list.tsx'
import type { ParticipantPageContext } from './participant-page.ts'

interface PersonHeadingProps {
  at: ParticipantPageContext
  participant: Awaited<ReturnType<typeof getParticipantDetails>>['participant']
  tab: 'registration' | 'money'
  /** A label to show beside the registration status, such as the open balance. */
  badge?: Child
  /** Links and buttons beside the name. */
  children?: Child
}

/** The name and facts of a participant, and the tabs of their pages. */
export const ParticipantHeading = ({ at, participant, tab, badge, children }: PersonHeadingProps) => {
  const facts = [
    participant.confirmationNumber,
    participant.company,
    participant.completedAt ? `registered ${formatDate(toDayInZone(at.event.timezone, new Date(participant.completedAt)))}` : null,
  ].filter((fact) => fact !== null && fact !== undefined)
  const tabs = [
    { name: 'registration', href: at.here, label: 'Registration' },
    { name: 'money', href: `${at.here}/money`, label: 'Money' },
  ]
  return (
    <>
      <div class="heading">
        <div>
          <p class="crumbs">
            <a href={at.base}>
              <bdi>{at.event.name}</bdi>
            </a>{' '}
            / <a href={`${at.base}/participants`}>Participants</a>
          </p>
          <div class="title">
            <h1 dir="auto">{at.name}</h1>
            <ParticipantStatusBadge status={participant.status} />
            {badge}
            {participant.isTestData ? <StatusLabel tone="warning">test data</StatusLabel> : null}
          </div>
          <p>
            <bdi>{facts.join(' · ')}</bdi>
            {participant.email ? (
              <>
                {facts.length > 0 ? ' · ' : null}
                <a href={`mailto:${participant.email}`}>{participant.email}</a>
              </>
            ) : null}
          </p>
        </div>
        {children}
      </div>
      <nav class="tabs" aria-label={`Pages of ${at.name}`}>
        {tabs.map(({ name, href, label }) => (
          <a href={href} aria-current={name === tab ? 'page' : undefined}>
            {label}
          </a>
        ))}
      </nav>
    </>
  )
}
