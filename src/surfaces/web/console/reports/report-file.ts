import { getRunFile } from '../../../../domains/reports/runs/runs.ts'
import { getFile } from '../../../../domains/files/files.ts'
import { sendFileAsDownload } from '../../../files/send-file.ts'
import type { WebServices } from '../../web.ts'
import { CONSOLE_EVENT_PATH, getEventPageContext } from '../event/event-page.ts'
import { createConsoleRouter } from '../frame.tsx'

/** `…/reports/runs/<run>/file`: the file of a report run, for organizers who may open the file at the time of the download. */
export function reportFilePages(web: WebServices) {
  return createConsoleRouter(web).get(`${CONSOLE_EVENT_PATH}/reports/runs/:run{[0-9a-f]{24}}/file`, async (c) => {
    const at = await getEventPageContext(web, c, 'reports.read')
    const run = await getRunFile(at.reading, c.req.param('run'))
    return sendFileAsDownload(web.services.files, c, await getFile(at.reading, { fileId: run.file_id }))
  })
}
