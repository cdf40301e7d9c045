import { getRoomingListFile, type RoomingListVersion } from '../../../../domains/housing/rooming/files.ts'
import { findHotel } from '../../../../domains/housing/find-hotel.ts'
import { sendFileAsDownload } from '../../../files/send-file.ts'
import { formatInteger } from '../../components/figures.tsx'
import { Card, DataTable, TimestampText } from '../../components/parts.tsx'
import type { WebServices } from '../../web.ts'
import { getEventPageContext } from '../event/event-page.ts'
import { createConsoleRouter, requirePermission } from '../frame.tsx'
import { HOUSING_PATH } from './overview.tsx'

/** The versions of the rooming list that were sent to the hotel. Files are linked only for users who may see the names of guests. */
export const RoomingListVersions = ({
  versions,
  here,
  seesGuests,
}: {
  versions: readonly RoomingListVersion[]
  here: string
  seesGuests: boolean
}) =>
  versions.length === 0 ? null : (
    <Card title="Rooming lists" pad={false}>
      <DataTable
        caption="Rooming lists"
        rows={versions}
        columns={[
          { label: 'Version', lead: true, cell: ({ version }) => `Version ${version}` },
          { label: 'Sent', cell: ({ createdAt }) => <TimestampText at={createdAt} /> },
          { label: 'New', number: true, cell: ({ added }) => formatInteger(added) },
          { label: 'Changed', number: true, cell: ({ changed }) => formatInteger(changed) },
          { label: 'Cancelled', number: true, cell: ({ cancelled }) => formatInteger(cancelled) },
          ...(seesGuests ? [{ label: 'Files', short: true, cell: (row: RoomingListVersion) => <Files row={row} here={here} /> }] : []),
        ]}
      />
    </Card>
  )

const Files = ({ row: { version, fileIds }, here }: { row: RoomingListVersion; here: string }) =>
  fileIds === null ? (
    <span class="muted">Not stored yet</span>
  ) : (
    <>
      <a href={`${here}/lists/${version}.xlsx`} aria-label={`Excel, version ${version}`}>
        Excel
      </a>{' '}
      <a href={`${here}/lists/${version}.csv`} aria-label={`CSV, version ${version}`}>
        CSV
      </a>
    </>
  )

/** `…/housing/<hotel>/lists/<version>.<format>`: a rooming list as it was sent to the hotel. Permissions are checked at every download. */
export function roomingListPages(web: WebServices) {
  return createConsoleRouter(web).get(`${HOUSING_PATH}/:hotel/lists/:list`, async (c) => {
    const at = await getEventPageContext(web, c, 'housing.read')
    requirePermission(at.event.name, at.permissions, 'personal.read')
    const { hotel } = await findHotel(at.reading, c.req.param('hotel') ?? '')
    return sendFileAsDownload(web.services.files, c, await getRoomingListFile(at.reading, hotel.id, c.req.param('list') ?? ''))
  })
}
