import { contractOf } from '../contract.ts'

contractOf('clients')
