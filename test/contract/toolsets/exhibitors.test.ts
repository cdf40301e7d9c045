import { describeContract } from '../contract.ts'

describeContract('exhibitors')
