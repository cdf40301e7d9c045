import { describe, expect, it } from 'vitest'
import { readSources } from './sources.ts'

/** The files that may open outgoing connections, and their targets. All other code uses the guarded fetcher. */
const ADAPTERS: Record<string, string> = {
  'src/platform/guarded-fetch.ts': 'external addresses, guarded',
  'src/platform/mailer.ts': 'the configured SMTP server',
  'src/platform/chat-model.ts': 'the configured language model',
  'src/platform/pool.ts': 'the configured database',
  'src/platform/stripe.ts': 'the configured card processor',
  'src/platform/s3-file-store.ts': 'the configured file store',
  'src/platform/directory-lock.ts': 'a socket in the data folder',
  'src/platform/folder-socket.ts': 'a socket in the data folder',
}

/** npm packages that open outgoing connections. */
const CLIENTS =
  'undici|axios|got|ky|node-fetch|cross-fetch|superagent|needle|request|ws|socket\\.io-client|eventsource|nodemailer|stripe|@aws-sdk/[\\w-]+'
/** Node modules that only open connections. node:http and node:net can also serve, so only their connecting exports count. */
const MODULES = 'https|http2|tls|dgram'
const CONNECTING = 'request|get|connect|createConnection|Agent|ClientRequest|Socket|globalAgent'

const RULES: Record<string, RegExp> = {
  'fetch as a global': /(?<![.\w$'"`#-])fetch(?=\s*[(;,)}\]]|\s*$|\s+(?:as|satisfies)\b)/m,
  'fetch of the global object': /\b(?:globalThis|global|window|self)\s*(?:\??\.\s*|\[\s*['"`])(?:fetch|WebSocket|EventSource)\b/,
  'fetch taken from the global object': /=\s*(?:globalThis|global)\b(?!\s*[.[])/,
  'a global that connects': /\bnew\s+(?:WebSocket|EventSource|XMLHttpRequest)\b/,
  'a package that connects': new RegExp(`(?:from|import|require)\\s*\\(?\\s*['"\`](?:${CLIENTS})(?:/[^'"\`]*)?['"\`]`),
  'a module of Node that connects': new RegExp(`(?:from|import|require)\\s*\\(?\\s*['"\`](?:node:)?(?:${MODULES})['"\`]`),
  'a connecting name of node:http or node:net': new RegExp(
    `import\\s*\\{[^}]*\\b(?:${CONNECTING})\\b[^}]*\\}\\s*from\\s*['"](?:node:)?(?:http|net)['"]`,
  ),
  'all of node:http or node:net':
    /import\s+(?:\*\s+as\s+)?\w+(?:\s*,[^'"]*)?\s+from\s*['"](?:node:)?(?:http|net)['"]|(?:import|require)\s*\(\s*['"`](?:node:)?(?:http|net)['"`]/,
  'a connection to a database': /\bnew\s+(?:pg\s*\.\s*)?(?:Pool|Client)\b/,
  'a connecting call': /\b(?:https?|net|tls|http2)\.(?:request|get|connect|createConnection)\s*\(/,
}

/** Removes type imports and comments from source text. */
const stripTypesAndComments = (text: string) =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(^|\s)\/\/.*$/gm, '$1')
    .replace(/import\s+type\b[^'"]*from\s*['"][^'"]*['"]/g, '')
    .replace(/\btype\s+\w+(\s*[,}])/g, '$1')
    .replace(/\{\s*,/g, '{')

const listBrokenRules = (text: string): string[] => Object.keys(RULES).filter((rule) => RULES[rule]!.test(stripTypesAndComments(text)))

describe('outgoing network connections', () => {
  const sources = readSources()

  it('opens outgoing network connections only in the listed source files', () => {
    expect(sources.length).toBeGreaterThan(80)
    const others = sources.filter(({ path }) => !(path in ADAPTERS))
    expect(others.flatMap(({ path, text }) => listBrokenRules(text).map((rule) => `${path}: ${rule}`))).toEqual([])
  })

  it('lists only source files that open an outgoing network connection', () => {
    const connecting = sources.filter(({ path, text }) => path in ADAPTERS && listBrokenRules(text).length > 0)
    expect(connecting.map(({ path }) => path)).toEqual(Object.keys(ADAPTERS).toSorted())
  })

  it.each([
    `const page = await fetch(url)`,
    `const page = await fetch (url)`,
    `export const client = { fetch }`,
    `const get = custom ?? fetch\n`,
    `call(url, fetch)`,
    `globalThis.fetch(url)`,
    `globalThis['fetch'](url)`,
    `const { fetch: get } = globalThis`,
    `new WebSocket(url)`,
    `import axios from 'axios'`,
    `import { request } from 'undici'`,
    `const { Agent } = await import('undici')`,
    `import { request } from 'node:https'`,
    `import https from 'https'`,
    `import { type Server, request } from 'node:http'`,
    `import { createServer, get as load } from 'node:http'`,
    `import http from 'node:http'`,
    `import * as net from 'node:net'`,
    `import { connect } from 'node:net'`,
    `import {\n  type Server,\n  Socket,\n} from 'node:net'`,
    `const net = await import('node:net')`,
    `const http = require('http')`,
    `http.request(url)`,
    `https.get(url)`,
    `net.connect(80, host)`,
    `import nodemailer from 'nodemailer'`,
    `import Stripe from 'stripe'`,
    `import { S3Client } from '@aws-sdk/client-s3'`,
    `const pool = new pg.Pool({ connectionString })`,
  ])('reports code that opens an outgoing connection: %s', (line) => {
    expect(listBrokenRules(`export const before = 1\n${line}\nexport const after = 2`)).not.toEqual([])
  })

  it.each([
    `const page = await ctx.fetcher.fetch(url)`,
    `return app.fetch(request)`,
    `fetch: (url: string) => Promise<Fetched>`,
    `const fetched = refetch(url)`,
    `import { createServer, type Server } from 'node:http'`,
    `import { type Socket, isIP } from 'node:net'`,
    `import type { IncomingMessage, ClientRequest } from 'node:http'`,
    `import pg from 'pg'`,
    `// a plain fetch(url) would not do`,
    `/** What fetch(url) brings. */`,
    `const word = 'fetch'`,
  ])('does not report code without an outgoing connection: %s', (line) => {
    expect(listBrokenRules(line)).toEqual([])
  })
})
