import { createReadStream } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createFile } from '../domains/files/files.ts'
import { storeUpload } from '../domains/files/upload.ts'
import { updateSettings } from '../domains/tenancy/clients.ts'
import type { FileStore } from '../kernel/ports.ts'
import { QUIET } from '../kernel/quiet-log.ts'
import { ACME, type Colleague, doAtClient, type Stage } from './stage.ts'

const LOGO = fileURLToPath(new URL('../../assets/demo-logo.png', import.meta.url))

/** How the client presents itself, and what its invoices say. */
export const seedBrand = (stage: Stage, colleague: Colleague): Promise<unknown> =>
  doAtClient(stage, { colleague, app: 'console', tool: 'update_client' }, async (ctx) => {
    const { tenantId, db, client } = ctx
    const logo = { tenantId, purpose: 'library' as const, name: 'acme-logo.png', content: createReadStream(LOGO) }
    const stored = await storeUpload({ db, files: stage.files, log: QUIET }, logo)
    const { id: logoFileId } = await createFile(ctx, stored, { clientId: client.id, owner: { kind: 'client', id: client.id } })
    return updateSettings(ctx, {
      brand: { color: '#0b5d6b', accent: '#b5481e', website: 'https://acme.example.com', logoFileId },
      billing: {
        legalName: `${ACME.name}, Lda.`,
        address: 'Avenida do Rio 10\n1200-109 Lisbon\nPortugal',
        bankDetails: 'Banco do Rio, IBAN PT50 0002 0123 1234 5678 9015 4',
      },
    })
  })

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
