import type { Child } from 'hono/jsx'
import { tellDifferences } from '../../../../domains/configuration/compare.ts'
import { getVersion, listVersions } from '../../../../domains/configuration/versions.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { LinkButton } from '../../components/forms.tsx'
import { Heading } from '../../components/layout.tsx'
import { Badge, Card, Empty, Facts, Pagination, Table, Time } from '../../components/parts.tsx'
import type { Web, WebContext } from '../../web.ts'
import { pagesAround, scopeOf } from '../filters.ts'
import { consolePages, frame, type FrameOptions } from '../frame.tsx'
import { atEvent, type AtEvent, EVENT_PATH } from './at-event.ts'
import { Changes, changesInWords, MOST_CHANGES } from './changes.tsx'

const PATH = `${EVENT_PATH}/versions`

export type Version = Awaited<ReturnType<typeof getVersion>>

export function numberIn(c: WebContext): number {
  const written = c.req.param('number') ?? ''
  if (!/^[1-9]\d{0,8}$/.test(written)) throw notFound('There is no such version')
  return Number(written)
}

export const versionFrame = (at: AtEvent, title: string): FrameOptions => ({
  title,
  current: `${at.base}/versions`,
  client: at.client,
  event: at,
})

const VersionTable = ({ at, versions }: { at: AtEvent; versions: readonly Version[] }) => (
  <Table
    caption="Versions"
    rows={versions}
    columns={[
      {
        label: 'Version',
        lead: true,
        cell: (version) => (
          <span class="row">
            <a href={`${at.base}/versions/${version.number}`}>{`Version ${version.number}`}</a>
            {version.live ? <Badge tone="success">live</Badge> : null}
          </span>
        ),
      },
      { label: 'Published', cell: ({ publishedAt }) => <Time at={new Date(publishedAt)} /> },
      { label: 'By', cell: ({ publishedBy }) => <bdi>{publishedBy}</bdi> },
      { label: 'Through', cell: ({ app }) => app },
      { label: 'Note', cell: ({ note }) => (note ? <bdi>{note}</bdi> : null) },
    ]}
  />
)

const COUNTED: Record<string, string> = { flows: 'Flows', pages: 'Pages', products: 'Products', policies: 'Policies', emails: 'Mails' }

const VersionFacts = ({ version }: { version: Version }) => (
  <Facts
    rows={[
      ['Published', <Time at={new Date(version.publishedAt)} />],
      ['By', <bdi>{`${version.publishedBy}, ${version.app === 'console' ? 'in the console' : `through ${version.app}`}`}</bdi>],
      ...(version.note ? [['Note', <bdi>{version.note}</bdi>] as [string, Child]] : []),
      ...(version.restoredFrom ? [['Restored from', `version ${version.restoredFrom}`] as [string, string]] : []),
      ...Object.entries(COUNTED).map(([name, label]): [string, string] => [
        label,
        String((version.counts as Record<string, number>)[name] ?? 0),
      ]),
    ]}
  />
)

/** `…/versions`: what was published, and what each version changed. */
export function versionPages(web: Web) {
  return consolePages(web)
    .get(PATH, async (c) => {
      const at = await atEvent(web, c, 'events.read')
      const cursor = c.req.query('cursor') || undefined
      const ctx = { ...at.reading, cursorScope: scopeOf(at.session.userId, `versions of ${at.event.id}`, {}) }
      const { versions, nextCursor } = await listVersions(ctx, { limit: 50, cursor })
      return frame(
        web,
        c,
        versionFrame(at, `Versions of ${at.event.name}`),
        <>
          <Heading title="Versions" text="What was published, the newest first." crumbs={[{ href: at.base, label: at.event.name }]} />
          <Card pad={false}>
            {versions.length > 0 ? (
              <VersionTable at={at} versions={versions} />
            ) : (
              <Empty title="Nothing was published yet" ask={`Tell me what keeps ${at.event.name} from being published`} />
            )}
            <Pagination {...pagesAround(`${at.base}/versions`, {}, cursor, nextCursor)} />
          </Card>
        </>,
      )
    })
    .get(`${PATH}/:number`, async (c) => {
      const at = await atEvent(web, c, 'events.read')
      const version = await getVersion(at.reading, numberIn(c))
      const { number, live } = version
      const told =
        number > 1 ? await tellDifferences(at.reading, { from: String(number - 1), to: String(number), most: MOST_CHANGES }) : null
      return frame(
        web,
        c,
        versionFrame(at, `Version ${number} of ${at.event.name}`),
        <>
          <Heading
            title={`Version ${number}`}
            text={live ? 'It is live.' : undefined}
            crumbs={[
              { href: at.base, label: at.event.name },
              { href: `${at.base}/versions`, label: 'Versions' },
            ]}
          >
            {at.permissions.has('events.write') && at.event.status !== 'archived' ? (
              <LinkButton href={`${at.base}/versions/${number}/restore`}>{live ? 'Discard the draft…' : 'Go back to it…'}</LinkButton>
            ) : null}
          </Heading>
          <Card>
            <VersionFacts version={version} />
          </Card>
          <Card
            title={told ? `What changed since version ${number - 1}` : 'The first version'}
            actions={told ? <Badge>{changesInWords(told.total)}</Badge> : null}
          >
            {told ? <Changes changes={told.changes} /> : <p class="muted">There was none before it.</p>}
            {told && told.total > told.changes.length ? (
              <p class="muted lead-out">{`and ${told.total - told.changes.length} more`}</p>
            ) : null}
          </Card>
        </>,
      )
    })
}
