import { getRunFile } from '../../../../domains/reports/runs/runs.ts'
import { getFile } from '../../../../domains/files/files.ts'
import { sendStoredFile } from '../../../files/send-file.ts'
import type { WebServices } from '../../web.ts'
import { CONSOLE_EVENT_PATH, getEventPage } from '../event/event-page.ts'
import { consolePages } from '../frame.tsx'

/** `…/reports/runs/<run>/file`: the file of a report run, for organizers who may open the file at the time of the download. */
export function reportFilePages(web: WebServices) {
  return consolePages(web).get(`${CONSOLE_EVENT_PATH}/reports/runs/:run{[0-9a-f]{24}}/file`, async (c) => {
    const at = await getEventPage(web, c, 'reports.read')
    const run = await getRunFile(at.reading, c.req.param('run'))
    return sendStoredFile(web.services.files, c, await getFile(at.reading, { fileId: run.file_id }))
  })
}
