import type { ESignServices, SealingKeyFile } from '../kernel/esign.ts'
import type { Fetcher } from '../kernel/fetcher.ts'
import { createDocuSignProvider, type DocuSignSettings } from './docusign.ts'

/** The settings of electronic signatures. */
export interface ESignSettings {
  provider: 'embedded' | 'docusign'
  docusign: DocuSignSettings | null
  missing: readonly string[]
  sealFile: SealingKeyFile | null
}

export const createESignServices = ({ provider, docusign, missing, sealFile }: ESignSettings, fetcher: Fetcher): ESignServices => ({
  defaultProvider: provider,
  docusign: docusign && createDocuSignProvider(docusign, fetcher),
  missingSettings: missing,
  sealFile,
})
