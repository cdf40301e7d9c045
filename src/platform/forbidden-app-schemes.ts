/** URL schemes that are never allowed for apps: they run code, read files or do not belong to one app. */
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
