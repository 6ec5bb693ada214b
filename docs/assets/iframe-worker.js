// Search from a folder: browsers start no worker from a file on disk, so its script runs in a hidden frame instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      this.waiting = []
      this.frame = document.createElement("iframe")
      this.frame.hidden = true
      document.documentElement.append(this.frame)
      const inside = this.frame.contentWindow
      inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
      inside.importScripts = (...urls) => Promise.all(urls.map(one => this.load(one)))
      this.load(url).then(() => {
        for (const data of this.waiting.splice(0)) this.deliver(data)
        this.ready = true
      })
    }
    load(url) {
      return new Promise((resolve, reject) => {
        const script = this.frame.contentDocument.createElement("script")
        Object.assign(script, { src: url, onload: resolve, onerror: reject })
        this.frame.contentDocument.body.append(script)
      })
    }
    deliver(data) {
      const inside = this.frame.contentWindow
      inside.dispatchEvent(new inside.MessageEvent("message", { data }))
    }
    postMessage(data) {
      if (this.ready) this.deliver(data)
      else this.waiting.push(data)
    }
    terminate() {
      this.frame.remove()
    }
  }
}
