import type { ESignServices, SealFile } from '../kernel/esign.ts'
import type { Fetcher } from '../kernel/fetcher.ts'
import { createDocuSign, type DocuSignSettings } from './docusign.ts'

/** The settings of electronic signatures. */
export interface ESignSettings {
  provider: 'embedded' | 'docusign'
  docusign: DocuSignSettings | null
  missing: readonly string[]
  sealFile: SealFile | null
}

export const createESignServices = ({ provider, docusign, missing, sealFile }: ESignSettings, fetcher: Fetcher): ESignServices => ({
  defaultProvider: provider,
  docusign: docusign && createDocuSign(docusign, fetcher),
  missingSettings: missing,
  sealFile,
})
