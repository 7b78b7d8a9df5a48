// preload: profile until 1s after
const {Session}=require('node:inspector');const fs=require('fs');const s=new Session();s.connect();
s.post('Profiler.enable');s.post('Profiler.setSamplingInterval',{interval:100});s.post('Profiler.start');
setTimeout(()=>s.post('Profiler.stop',(e,{profile})=>{fs.writeFileSync(process.env.PROF_OUT,JSON.stringify(profile));process.exit(0)}),1500);
