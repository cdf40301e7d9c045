import { createReadStream } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createFile } from '../domains/files/files.ts'
import { storeUpload } from '../domains/files/upload.ts'
import { updateClientSettings } from '../domains/tenancy/clients.ts'
import type { FileStore } from '../kernel/ports.ts'
import { SILENT_LOG } from '../kernel/silent-log.ts'
import { DEMO_CLIENT, type DemoTeamMember, runDemoClientChange, type DemoSeedContext } from './stage.ts'

const LOGO = fileURLToPath(new URL('../../assets/demo-logo.png', import.meta.url))

/** Sets the client's brand and invoice details. */
export const seedBrand = (stage: DemoSeedContext, colleague: DemoTeamMember): Promise<unknown> =>
  runDemoClientChange(stage, { colleague, app: 'console', tool: 'update_client' }, async (ctx) => {
    const { tenantId, db, client } = ctx
    const logo = { tenantId, purpose: 'library' as const, name: 'acme-logo.png', content: createReadStream(LOGO) }
    const stored = await storeUpload({ db, files: stage.files, log: SILENT_LOG }, logo)
    const { id: logoFileId } = await createFile(ctx, stored, { clientId: client.id, owner: { kind: 'client', id: client.id } })
    return updateClientSettings(ctx, {
      brand: { color: '#0b5d6b', accent: '#b5481e', website: 'https://acme.example.com', logoFileId },
      billing: {
        legalName: `${DEMO_CLIENT.name}, Lda.`,
        address: 'Avenida do Rio 10\n1200-109 Lisbon\nPortugal',
        bankDetails: 'Banco do Rio, IBAN PT50 0002 0123 1234 5678 9015 4',
      },
      taxRegistrations: [{ country: 'PT', number: 'PT999999990', from: '2020-01-01' }],
    })
  })

/**
 * Remembers the stored files, so that they can be removed after a rollback: files are stored before the transaction that references them
 * commits.
 */
export function trackStoredFiles(files: FileStore): { files: FileStore; removeStored: () => Promise<void> } {
  const put = new Set<string>()
  return {
    files: {
      ...files,
      put: (key, content) => {
        put.add(key)
        return files.put(key, content)
      },
    },
    async removeStored() {
      for (const key of put) await files.remove(key)
      put.clear()
    },
  }
}
