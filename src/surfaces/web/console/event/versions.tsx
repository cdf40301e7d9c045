import type { Child } from 'hono/jsx'
import { describeDifferences } from '../../../../domains/configuration/compare.ts'
import { getConfigVersion, listVersions } from '../../../../domains/configuration/versions.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { LinkButton } from '../../components/forms.tsx'
import { renderListPage } from '../../components/list-page.tsx'
import { renderContentPage } from '../../components/page.tsx'
import { StatusLabel, Card, DescriptionList, type TableColumn, TimestampText } from '../../components/parts.tsx'
import type { WebServices, WebContext } from '../../web.ts'
import { readListQuery } from '../filters.ts'
import { createConsoleRouter, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { getEventPageContext, type EventPageContext, CONSOLE_EVENT_PATH } from './event-page.ts'
import { ChangeList, formatChangeCount, MAX_LISTED_CHANGES } from './changes.tsx'

const PATH = `${CONSOLE_EVENT_PATH}/versions`

export type ConfigVersion = Awaited<ReturnType<typeof getConfigVersion>>

export function readVersionNumber(c: WebContext): number {
  const written = c.req.param('number') ?? ''
  if (!/^[1-9]\d{0,8}$/.test(written)) throw notFound('This version does not exist')
  return Number(written)
}

export const buildVersionBreadcrumbs = ({ base, event }: EventPageContext) => [
  { href: base, label: event.name },
  { href: `${base}/versions`, label: 'Versions' },
]

const versionColumns = (base: string): TableColumn<ConfigVersion>[] => [
  {
    label: 'Version',
    lead: true,
    cell: (version) => (
      <span class="row">
        <a href={`${base}/versions/${version.number}`}>{`Version ${version.number}`}</a>
        {version.live ? <StatusLabel tone="success">live</StatusLabel> : null}
      </span>
    ),
  },
  { label: 'Published', cell: ({ publishedAt }) => <TimestampText at={new Date(publishedAt)} /> },
  { label: 'Published by', cell: ({ publishedBy }) => <bdi>{publishedBy}</bdi> },
  { label: 'App', cell: ({ app }) => app },
  { label: 'Note', cell: ({ note }) => (note ? <bdi>{note}</bdi> : null) },
]

const COUNT_LABELS: Record<string, string> = {
  flows: 'Flows',
  pages: 'Pages',
  products: 'Products',
  policies: 'Policies',
  emails: 'Emails',
}

const VersionFacts = ({ version }: { version: ConfigVersion }) => (
  <DescriptionList
    rows={[
      ['Published', <TimestampText at={new Date(version.publishedAt)} />],
      ['Published by', <bdi>{`${version.publishedBy}, ${version.app === 'console' ? 'in the console' : `through ${version.app}`}`}</bdi>],
      ...(version.note ? [['Note', <bdi>{version.note}</bdi>] as [string, Child]] : []),
      ...(version.restoredFrom ? [['Restored from', `version ${version.restoredFrom}`] as [string, string]] : []),
      ...Object.entries(COUNT_LABELS).map(([name, label]): [string, string] => [
        label,
        String((version.counts as Record<string, number>)[name] ?? 0),
      ]),
    ]}
  />
)

/** `…/versions`: the published versions and their changes. */
export function configVersionPages(web: WebServices) {
  return createConsoleRouter(web)
    .get(PATH, async (c) => {
      const at = await getEventPageContext(web, c, 'events.read')
      const { cursor, cursorScope, pageLinks } = readListQuery(c, `versions of ${at.event.id}`, [])
      const { versions, nextCursor } = await listVersions({ ...at.reading, cursorScope }, { limit: 50, cursor })
      const page = renderListPage({
        title: `Versions of ${at.event.name}`,
        heading: 'Versions',
        text: 'Published versions, newest first.',
        crumbs: [{ href: at.base, label: at.event.name }],
        caption: 'Versions',
        columns: versionColumns(at.base),
        rows: versions,
        empty: {
          title: 'Nothing published yet',
          text: (
            <>
              The <a href={`${at.base}/draft`}>draft</a> shows what is missing.
            </>
          ),
          ask: `What prevents ${at.event.name} from being published?`,
        },
        pages: pageLinks(`${at.base}/versions`, nextCursor),
      })
      return sendConsolePage(web, c, getNavigationPosition(at, 'versions'), page)
    })
    .get(`${PATH}/:number`, async (c) => {
      const at = await getEventPageContext(web, c, 'events.read')
      const version = await getConfigVersion(at.reading, readVersionNumber(c))
      const { number, live } = version
      const differences =
        number > 1
          ? await describeDifferences(at.reading, { from: String(number - 1), to: String(number), most: MAX_LISTED_CHANGES })
          : null
      const mayRestore = at.permissions.has('events.write') && at.event.status !== 'archived'
      const unpublished =
        live && mayRestore ? (await describeDifferences(at.reading, { from: String(number), to: 'draft', most: 0 })).total : 0
      const page = renderContentPage(
        {
          title: `Version ${number} of ${at.event.name}`,
          heading: `Version ${number}`,
          text: [live ? 'This version is live.' : '', number === 1 ? 'It is the first version.' : ''].join(' ').trim() || undefined,
          crumbs: buildVersionBreadcrumbs(at),
          actions: live ? (
            unpublished > 0 ? (
              <>
                <LinkButton href={`${at.base}/draft`}>Review draft</LinkButton>
                <LinkButton href={`${at.base}/versions/${number}/restore`}>{`Discard ${formatChangeCount(unpublished)}…`}</LinkButton>
              </>
            ) : null
          ) : mayRestore ? (
            <LinkButton href={`${at.base}/versions/${number}/restore`}>Restore…</LinkButton>
          ) : null,
        },
        <>
          <Card>
            <VersionFacts version={version} />
          </Card>
          {differences ? (
            <Card title={`Changes since version ${number - 1}`} actions={<StatusLabel>{formatChangeCount(differences.total)}</StatusLabel>}>
              <ChangeList changes={differences.changes} currency={at.event.currency} />
              {differences.total > differences.changes.length ? (
                <p class="muted lead-out">{`and ${differences.total - differences.changes.length} more`}</p>
              ) : null}
            </Card>
          ) : null}
        </>,
      )
      return sendConsolePage(web, c, getNavigationPosition(at, 'versions'), page)
    })
}
