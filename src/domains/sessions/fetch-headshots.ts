import { Readable } from 'node:stream'
import { z } from 'zod'
import { recordChange } from '../../kernel/audit.ts'
import { AppError } from '../../kernel/errors.ts'
import { defineJob } from '../../kernel/jobs.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { createFile } from '../files/files.ts'
import { FILE_PURPOSES } from '../files/purposes.ts'
import { storeUpload } from '../files/upload.ts'
import { getSpeaker } from './speakers.ts'

const Headshot = z.object({ speakerId: z.string(), url: z.string(), row: z.number() })

interface FailedHeadshot {
  row: number
  speakerId: string
  message: string
}

/** Fetches photos of imported speakers. A photo that cannot be fetched is reported with its row, and the other photos are saved. */
export const fetchHeadshots = defineJob({
  name: 'fetch-headshots',
  scope: 'event',
  input: z.object({ headshots: z.array(Headshot) }),
  async run({ step, fetcher, files, db, log, progress }, { headshots }) {
    const failures: FailedHeadshot[] = []
    for (const [index, { speakerId, url, row }] of headshots.entries()) {
      try {
        const { status, body } = await fetcher.fetch(url, { accept: [...FILE_PURPOSES.headshot.accept], maxBytes: 5 * 1024 * 1024 })
        if (status !== 200) throw new AppError('unavailable', `The server answered ${status}`)
        const { tenantId } = await step((ctx) => Promise.resolve({ tenantId: ctx.tenantId }))
        const name = new URL(url).pathname.split('/').at(-1) || 'photo'
        const stored = await storeUpload({ db, files, log }, { tenantId, purpose: 'headshot', name, content: Readable.from([body]) })
        await step(async (ctx) => {
          const speaker = await getSpeaker(ctx, speakerId)
          const file = await createFile(ctx, stored, {
            clientId: ctx.client.id,
            eventId: ctx.event.id,
            owner: { kind: 'speaker', id: speakerId },
          })
          await eventDb(ctx).updateTable('speakers').set({ headshot_file_id: file.id }).where('id', '=', speakerId).execute()
          recordChange(ctx, {
            kind: 'speaker',
            id: speakerId,
            before: { headshotFileId: speaker.headshot_file_id },
            after: { headshotFileId: file.id },
          })
        })
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        failures.push({ row, speakerId, message: error.message })
      }
      await progress(index + 1, headshots.length)
    }
    return { fetched: headshots.length - failures.length, failures }
  },
})
