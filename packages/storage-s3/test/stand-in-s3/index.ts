// A strict stand-in for S3 in tests: in memory, with faults by a seed, over HTTP or directly in an SDK client.

export { directHandler } from './direct-handler.ts'
export { type Fault, type FaultPlan, faultPlan, faults } from './fault-plan.ts'
export { type FaultProxy, startFaultProxy } from './fault-proxy.ts'
export { type StandInServer, serveStandIn } from './http-server.ts'
export { errorReply, type Reply, type Request } from './message.ts'
export { type S3StandIn, type StandInOptions, s3StandIn, standInKeys } from './s3-stand-in.ts'
