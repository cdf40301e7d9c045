#!/usr/bin/env node
import { enableCodeCache } from './code-cache.ts'

await enableCodeCache()
const { runCommandLine: runCommand } = await import('./command-line.ts')
await runCommand(process.argv.slice(2))
