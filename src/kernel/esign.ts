/** Interfaces to services for electronic signatures outside of this installation. `platform/docusign.ts` implements them. */

export interface NewProviderEnvelope {
  /** The idempotency key, the same for every attempt, so that a repeated request creates one envelope. */
  key: string
  subject: string
  message: string | null
  document: { name: string; content: Buffer }
  signers: readonly { id: string; name: string; email: string; order: number }[]
  expiresInDays: number
}

export interface ProviderSigner {
  /** The signer's id from the request that created the envelope. */
  id: string
  status: 'waiting' | 'sent' | 'viewed' | 'signed' | 'declined'
  signedAt: string | null
  declinedReason: string | null
}

export interface ProviderEnvelope {
  ref: string
  status: 'created' | 'sent' | 'delivered' | 'completed' | 'declined' | 'voided' | 'expired'
  signers: readonly ProviderSigner[]
}

/** A service that collects signatures. Its methods throw an `AppError` if it does not respond. */
export interface ESignProvider {
  name: 'docusign'
  create: (envelope: NewProviderEnvelope) => Promise<{ ref: string }>
  /** Voids an envelope. Returns its state afterwards, which is not voided if it was completed before. */
  void: (ref: string, reason: string) => Promise<ProviderEnvelope>
  get: (ref: string) => Promise<ProviderEnvelope>
  /** The signed document and the certificate of a completed envelope. */
  download: (ref: string) => Promise<{ signed: Buffer; certificate: Buffer }>
  /** Returns the envelope that a notification is about; null if the notification's signature is wrong. */
  verifyWebhook: (body: string, signature: string) => { ref: string } | null
}

/** The key with which the operator seals signed contracts, as a PKCS #12 file. */
export interface SealingKeyFile {
  content: Buffer
  password: string
}

export interface ESignServices {
  /** The provider of electronic signatures that is used if the sender chose none. */
  defaultProvider: 'embedded' | 'docusign'
  docusign: ESignProvider | null
  /** Settings that DocuSign needs and that are missing. */
  missingSettings: readonly string[]
  /** The operator's key for sealing signed contracts. Null: contracts are sealed with a self-signed key of this installation. */
  sealFile: SealingKeyFile | null
}

export const DOCUSIGN_SETTINGS = [
  'LANYARD_DOCUSIGN_BASE_URL',
  'LANYARD_DOCUSIGN_ACCOUNT_ID',
  'LANYARD_DOCUSIGN_INTEGRATION_KEY',
  'LANYARD_DOCUSIGN_USER_ID',
  'LANYARD_DOCUSIGN_PRIVATE_KEY',
  'LANYARD_DOCUSIGN_CONNECT_SECRET',
] as const

export const EMBEDDED_SIGNING_PROVIDER: ESignServices = {
  defaultProvider: 'embedded',
  docusign: null,
  missingSettings: DOCUSIGN_SETTINGS,
  sealFile: null,
}
