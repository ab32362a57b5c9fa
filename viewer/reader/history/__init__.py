"""What has been read of the whole recording: lanes, curves and lists that grow while it is read?"""
