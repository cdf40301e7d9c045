import { createReadStream } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createFile, type FilePlace } from '../domains/files/files.ts'
import { storeUpload } from '../domains/files/upload.ts'
import { updateSettings } from '../domains/tenancy/clients.ts'
import type { Context, EventHead } from '../kernel/context.ts'
import type { FileStore } from '../kernel/ports.ts'
import { ACME, type Colleague, doAtClient, doAtEvent, QUIET, type Stage } from './stage.ts'

const LOGO = fileURLToPath(new URL('../../assets/demo-logo.png', import.meta.url))

async function logoFile({ files }: Stage, ctx: Context, place: FilePlace): Promise<string> {
  const { tenantId, db } = ctx
  const content = createReadStream(LOGO)
  const stored = await storeUpload({ db, files, log: QUIET }, { tenantId, purpose: 'library', name: 'acme-logo.png', content })
  return (await createFile(ctx, stored, place)).id
}

/** How the client presents itself, and what its invoices say. */
export const seedBrand = (stage: Stage, colleague: Colleague): Promise<unknown> =>
  doAtClient(stage, { colleague, app: 'console', tool: 'update_client' }, async (ctx) => {
    const logoFileId = await logoFile(stage, ctx, { clientId: ctx.client.id, owner: { kind: 'client', id: ctx.client.id } })
    return updateSettings(ctx, {
      brand: { color: '#0b5d6b', accent: '#b5481e', website: 'https://acme.example.com', logoFileId },
      billing: {
        legalName: `${ACME.name}, Lda.`,
        address: 'Avenida do Rio 10\n1200-109 Lisbon\nPortugal',
        bankDetails: 'Banco do Rio, IBAN PT50 0002 0123 1234 5678 9015 4',
      },
    })
  })

/** Pictures of an event are files of its own. */
export const seedEventLogo = (stage: Stage, colleague: Colleague, event: EventHead): Promise<string> =>
  doAtEvent(stage, event, { colleague, app: 'console', tool: 'upload_file' }, (ctx) =>
    logoFile(stage, ctx, { clientId: ctx.client.id, eventId: event.id }),
  )

/**
 * Bytes go into the store before the transaction commits that makes a file of them. What one of its tries put there and lost is known here, and can
 * be taken away again.
 */
export function recallingStore(files: FileStore): { files: FileStore; takeBack: () => Promise<void> } {
  const put = new Set<string>()
  return {
    files: {
      ...files,
      put: (key, content) => {
        put.add(key)
        return files.put(key, content)
      },
    },
    async takeBack() {
      for (const key of put) await files.remove(key)
      put.clear()
    },
  }
}
