import { type SessionWithSpeakerClashes, listProgramSessions } from '../../../../domains/submissions/program-sessions.ts'
import { readSubmissionConfig } from '../../../../domains/submissions/submissions.ts'
import { toDayInZone } from '../../../../kernel/time.ts'
import { buildEventPagePaths } from '../../../../domains/tenancy/public-pages.ts'
import { formatTime } from '../../../../kernel/language/format.ts'
import { formatDate } from '../../components/dates.ts'
import { LinkButton } from '../../components/forms.tsx'
import { ListCard } from '../../components/list-page.tsx'
import { renderContentPage } from '../../components/page.tsx'
import { EmptyState, Notice, StatusDot, type TableColumn } from '../../components/parts.tsx'
import { formatTotalWithNoun } from '../../totals.ts'
import type { WebServices } from '../../web.ts'
import { type EventPageContext, getEventPageContext } from '../event/event-page.ts'
import { createConsoleRouter, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { mayChangeProgram, findNameByCode, PROGRAM_PATH, type ProgramConfig, ProgramTabs } from './program-page.tsx'

const CLASHES = { speaker_unavailable: 'is not available then', speaker_not_confirmed: 'does not come' } as const

export const describeSessionClash = ({ kind, speaker }: SessionWithSpeakerClashes['clashes'][number]): string =>
  `${speaker} ${CLASHES[kind]}`

const columns = (at: EventPageContext, config: ProgramConfig, agenda: string): TableColumn<SessionWithSpeakerClashes>[] => [
  {
    label: 'Time',
    short: true,
    twoLine: 'detail',
    cell: ({ startsAt, endsAt, roomCode }) => (
      <>
        <span class="stamp">{[startsAt, endsAt].map((time) => formatTime('en-GB', time, at.event.timezone)).join(' – ')}</span>
        {roomCode === null ? null : <bdi class="narrow-only">, {findNameByCode(config.rooms, roomCode)}</bdi>}
      </>
    ),
  },
  {
    label: 'Session',
    lead: true,
    cell: ({ title, code, submission }) => (
      <a href={submission ? `${at.base}/program/${submission}` : `${agenda}/${code}`} dir="auto">
        {title}
      </a>
    ),
  },
  { label: 'Speakers', cell: ({ speakers }) => <bdi>{speakers.join(', ') || '–'}</bdi> },
  { label: 'Room', cell: ({ roomCode }) => <bdi>{findNameByCode(config.rooms, roomCode)}</bdi> },
  {
    label: 'Status',
    twoLine: 'mark',
    cell: ({ status, clashes }) =>
      status === 'cancelled' ? (
        <StatusDot tone="danger">Cancelled</StatusDot>
      ) : clashes.length > 0 ? (
        <StatusDot tone="warning">{clashes.map(describeSessionClash).join('; ')}</StatusDot>
      ) : (
        <StatusDot tone="success">Scheduled</StatusDot>
      ),
  },
]

/** `…/program/sessions`: the conference sessions of each day with rooms, speakers and clashes. */
export function programSessionPages(web: WebServices) {
  return createConsoleRouter(web).get(`${PROGRAM_PATH}/sessions`, async (c) => {
    const at = await getEventPageContext(web, c, 'sessions.read')
    const { sessions: config } = (await readSubmissionConfig(at.reading)).config
    const sessions = await listProgramSessions(at.reading)
    const days = Map.groupBy(sessions, ({ startsAt }) => toDayInZone(at.event.timezone, startsAt))
    const clashing = sessions.filter(({ clashes }) => clashes.length > 0).length
    const { agenda } = buildEventPagePaths({ tenantCode: at.reading.tenantCode, client: at.client, event: at.event })
    const page = renderContentPage(
      {
        title: `Sessions of ${at.event.name}`,
        heading: 'Programme',
        text: `Proposals of the call for papers, and the sessions they became. ${formatTotalWithNoun({ total: sessions.length }, 'session')}.`,
        crumbs: [{ href: at.base, label: at.event.name }],
        actions: (
          <>
            <LinkButton href={agenda}>Public agenda</LinkButton>
            {mayChangeProgram(at) ? (
              <LinkButton href={`${at.base}/program/new`} tone="primary">
                Add a session
              </LinkButton>
            ) : null}
          </>
        ),
      },
      <>
        <ProgramTabs base={at.base} current="sessions" />
        {clashing > 0 ? (
          <Notice tone="warning">
            <p>{formatTotalWithNoun({ total: clashing }, 'session')} with a speaker who may be missing.</p>
          </Notice>
        ) : null}
        <div class="stack">
          {[...days].map(([day, rows]) => (
            <ListCard
              title={formatDate(day)}
              actions={<span class="muted">{formatTotalWithNoun({ total: rows.length }, 'session')}</span>}
              caption={`Sessions on ${formatDate(day)}`}
              columns={columns(at, config, agenda)}
              rows={rows}
            />
          ))}
          {days.size === 0 ? (
            <EmptyState title="No sessions yet" ask={`Schedule the accepted proposals of ${at.event.name} without clashes.`}>
              <p>Accept a proposal and give it a room and a time, or add a session directly.</p>
            </EmptyState>
          ) : null}
        </div>
      </>,
    )
    return sendConsolePage(web, c, getNavigationPosition(at, 'program'), page)
  })
}
