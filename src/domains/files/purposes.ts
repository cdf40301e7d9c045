const RASTER = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const
const OFFICE = [
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
] as const
const TABLES = ['text/csv', 'text/tab-separated-values', 'application/json'] as const
const DOCUMENTS = ['application/pdf', 'image/png', 'image/jpeg', 'image/webp', ...OFFICE, 'text/plain', 'text/calendar'] as const

const KB = 1024
const MB = 1024 * KB

interface Purpose {
  /** What it may be, by its bytes. */
  accept: readonly string[]
  maxBytes: number
}

/** What files are kept for. A field or tool may ask for less, never for more. */
export const FILE_PURPOSES = {
  headshot: { accept: ['image/png', 'image/jpeg', 'image/webp'], maxBytes: 10 * MB },
  /** What somebody answers to a question that asks for a file. */
  answer: { accept: [...DOCUMENTS, 'image/gif', ...TABLES], maxBytes: 50 * MB },
  library: {
    accept: [
      ...DOCUMENTS,
      'image/gif',
      ...TABLES,
      'image/svg+xml',
      'video/mp4',
      'text/vtt',
      'font/woff2',
      'font/woff',
      'font/ttf',
      'font/otf',
    ],
    maxBytes: 200 * MB,
  },
  productDocument: { accept: DOCUMENTS, maxBytes: 10 * MB },
  mailAttachment: { accept: DOCUMENTS, maxBytes: 10 * MB },
  adCreative: { accept: RASTER, maxBytes: 400 * KB },
  floorPlan: { accept: ['image/svg+xml', 'image/vnd.dxf', 'application/pdf', 'image/png', 'image/jpeg'], maxBytes: 50 * MB },
  contract: { accept: ['application/pdf', OFFICE[0], 'text/plain'], maxBytes: 50 * MB },
  badge: { accept: ['application/pdf', 'image/png'], maxBytes: 50 * MB },
  /** Made here, so as large as the event. */
  export: { accept: ['application/zip', 'application/pdf', OFFICE[1], ...TABLES], maxBytes: 50 * KB * MB },
} as const satisfies Record<string, Purpose>

export type FilePurpose = keyof typeof FILE_PURPOSES
