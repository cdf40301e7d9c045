/** Schemes that run code, read files or do not belong to one app. They are never allowed. */
export const FORBIDDEN_APP_URL_SCHEMES = [
  'http',
  'https',
  'ws',
  'wss',
  'ftp',
  'file',
  'javascript',
  'data',
  'blob',
  'about',
  'vbscript',
  'view-source',
  'mailto',
  'tel',
]
